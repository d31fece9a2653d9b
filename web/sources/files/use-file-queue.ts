import { useCallback, useRef, useState } from 'react';
import { isSignedOut, messageOf } from '../../http/api-error.ts';
import { nameProblem } from './name-problem.ts';
import { sendFile } from './send-file.ts';

/** A file that people have chosen, and how far it is sent. */
export interface QueuedFile {
  /** The name under which the source has it. */
  name: string;
  file: File;
  state: 'waiting' | 'sending' | 'sent' | 'refused';
  /** The share that is sent, from 0 to 1. */
  share: number;
  /** Why it cannot be sent, or was refused. */
  problem: string | null;
}

export interface FileQueue {
  files: readonly QueuedFile[];
  /** Adds files. One of the same name takes the place of the earlier one. */
  add: (files: readonly File[]) => void;
  remove: (name: string) => void;
  /** Sends all that are not sent yet, one after the other. Returns how many were refused. */
  send: (sourceId: string, signal?: AbortSignal) => Promise<number>;
}

/** Whether there are files, and the service may take all of them. */
export const canSend = ({ files }: FileQueue): boolean =>
  files.length > 0 && files.every(({ name }) => nameProblem(name) === null);

/** Files to send for a source. A file that is refused stays, so that it can be sent again. */
export function useFileQueue(): FileQueue {
  const [files, setFiles] = useState<readonly QueuedFile[]>([]);
  const newest = useRef(files);
  const change = useCallback((to: (before: readonly QueuedFile[]) => readonly QueuedFile[]) => {
    newest.current = to(newest.current);
    setFiles(newest.current);
  }, []);
  const update = (name: string, part: Partial<QueuedFile>): void => {
    change((before) => before.map((each) => (each.name === name ? { ...each, ...part } : each)));
  };
  return {
    files,
    add: (added) => {
      change((before) => {
        const byName = new Map(before.map((each) => [each.name, each]));
        for (const file of added) byName.set(file.name, queued(file));
        return [...byName.values()];
      });
    },
    remove: (name) => {
      change((before) => before.filter((each) => each.name !== name));
    },
    send: async (sourceId, signal) => {
      const unsent = newest.current.filter(({ state }) => state !== 'sent');
      for (const { name, file } of unsent) {
        update(name, { state: 'sending', share: 0, problem: null });
        try {
          await sendFile(
            { sourceId, name, file },
            {
              onProgress: (share) => {
                update(name, { share });
              },
              signal,
            },
          );
          update(name, { state: 'sent', share: 1 });
        } catch (error) {
          update(name, { state: 'refused', problem: messageOf(error) });
          if (isSignedOut(error) || signal?.aborted === true) throw error;
        }
      }
      return newest.current.filter(({ state }) => state === 'refused').length;
    },
  };
}

function queued(file: File): QueuedFile {
  const problem = nameProblem(file.name);
  return { name: file.name, file, state: problem === null ? 'waiting' : 'refused', share: 0, problem };
}
