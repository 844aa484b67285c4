import type { Effect } from "../domain/effect.js";
import type { ProjectKey } from "./call.js";
import { projectKeyText } from "./call.js";

/** What a run remembers of the epoch of its project. */
export interface EpochMark {
  /** True if no other run or change has moved the epoch since this run began. */
  isUntouched(): boolean;
  /** True if another run that may change something is under way. */
  isDisturbed(): boolean;
  /** The run is over. */
  end(): void;
}

interface ProjectEpoch {
  value: number;
  /** Runs under way that may change something. */
  busy: number;
  generation: number | undefined;
}

/** True if a run of that effect may change what another one reads. */
export function changesSomething(effect: Effect): boolean {
  return effect !== "none" && effect !== "read";
}

/**
 * Counts, for each project, what may have changed its workspace or sessions: every run with an effect at its start and
 * at its end, uploads, resets, changes of mode and of secrets, and a new sandbox.
 */
export class Epochs {
  readonly #projects = new Map<string, ProjectEpoch>();

  /** Something other than a run may have changed the project. */
  move(key: ProjectKey): void {
    this.#of(key).value += 1;
  }

  /** A run meets the sandbox of that generation: a new one moves the epoch. */
  meetGeneration(key: ProjectKey, generation: number): void {
    const project = this.#of(key);
    if (project.generation !== undefined && project.generation !== generation) project.value += 1;
    project.generation = generation;
  }

  /** A run of that effect begins. */
  begin(key: ProjectKey, effect: Effect): EpochMark {
    const project = this.#of(key);
    const isChanging = changesSomething(effect);
    const beganAt = project.value;
    let ownMoves = 0;
    let isOver = false;
    const moveItself = (busy: 1 | -1) => {
      if (!isChanging) return;
      project.value += 1;
      project.busy += busy;
      ownMoves += 1;
    };
    moveItself(1);
    return {
      isUntouched: () => project.value - beganAt === ownMoves,
      isDisturbed: () => project.busy > (isChanging && !isOver ? 1 : 0),
      end() {
        if (isOver) return;
        isOver = true;
        moveItself(-1);
      },
    };
  }

  /** Forgets a project in which nothing runs. */
  forget(key: ProjectKey): void {
    this.#projects.delete(projectKeyText(key));
  }

  #of(key: ProjectKey): ProjectEpoch {
    const text = projectKeyText(key);
    let project = this.#projects.get(text);
    if (project === undefined) {
      project = { value: 0, busy: 0, generation: undefined };
      this.#projects.set(text, project);
    }
    return project;
  }
}
