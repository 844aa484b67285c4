import { z } from "zod";

/** What the picture job is asked, beside the bytes of the picture. */
export const pictureRequestSchema = z.object({
  /** Most bytes of the prepared picture. */
  maxBytes: z.int().positive(),
  /** Most pixels of its longer side. */
  maxSidePixels: z.int().positive(),
  /** Most pixels of the original. */
  maxInputPixels: z.int().positive(),
});

/** What the picture job is asked, beside the bytes of the picture. */
export type PictureRequest = z.infer<typeof pictureRequestSchema>;

/** What the picture job answers, beside the bytes of the prepared picture. */
export const pictureInfoSchema = z.object({
  mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  width: z.int().positive(),
  height: z.int().positive(),
  /** Size before scaling, upright. */
  originalWidth: z.int().positive(),
  originalHeight: z.int().positive(),
  /** What was done to the picture, one line each, for the model. */
  notes: z.array(z.string().max(300)).max(10),
});

/** What the picture job answers, beside the bytes of the prepared picture. */
export type PictureInfo = z.infer<typeof pictureInfoSchema>;
