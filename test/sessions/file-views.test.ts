import { describe, expect, it } from "vitest";
import { FileViews } from "../../src/sessions/file-views.js";

const owner = { tenant: "t", project: "p", session: "s" };

describe("FileViews", () => {
  it("remembers the version that a session saw last", () => {
    const views = new FileViews();
    views.of(owner).record("/w/a", "1");
    views.of(owner).record("/w/a", "2");
    expect(views.of(owner).seen("/w/a")).toBe("2");
    expect(views.of(owner).seen("/w/b")).toBeUndefined();
  });

  it("keeps tenants, projects and sessions apart", () => {
    const views = new FileViews();
    views.of(owner).record("/w/a", "1");
    for (const other of [{ tenant: "t2" }, { project: "p2" }, { session: "s2" }])
      expect(views.of({ ...owner, ...other }).seen("/w/a")).toBeUndefined();
  });

  it("remembers nothing without a session", () => {
    const none = new FileViews().of({ ...owner, session: "" });
    none.record("/w/a", "1");
    expect([none.hasSession, none.seen("/w/a")]).toEqual([false, undefined]);
  });

  it("forgets the view that was not used for longest", () => {
    const views = new FileViews({ maxEntries: 2 }).of(owner);
    views.record("/w/a", "1");
    views.record("/w/b", "1");
    views.seen("/w/a");
    views.record("/w/c", "1");
    expect(["/w/a", "/w/b", "/w/c"].map((path) => views.seen(path))).toEqual(["1", undefined, "1"]);
  });

  it("waits for the changes of the session that are under way, also for one that fails", async () => {
    const views = new FileViews();
    const told: string[] = [];
    const change = views.of(owner).change(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      views.of(owner).record("/w/a", "2");
      told.push("recorded");
      throw new Error("failed after that");
    });
    const other = views.of({ ...owner, session: "s2" }).settled();
    await other;
    told.push("other session");
    await views.of(owner).settled();
    expect(told).toEqual(["other session", "recorded"]);
    expect(views.of(owner).seen("/w/a")).toBe("2");
    await expect(change).rejects.toThrow("failed");
    await views.of(owner).settled();
  });
});
