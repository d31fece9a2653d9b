import type { Session } from '../session.ts';

/** How often a step of the set-up is tried. The writes of nodes that already run may conflict with it. */
const ATTEMPTS = 20;

/** Runs a step of the set-up until it succeeds. Each try looks what is left to do. */
export async function persist(session: Session, step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await step();
      return;
    } catch (error) {
      if (session.isLost || attempt >= ATTEMPTS) throw error;
    }
  }
}
