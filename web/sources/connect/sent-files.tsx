import { Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ChosenFiles } from '../files/chosen-files.tsx';
import { guessKind } from '../files/guess-kind.ts';
import type { FileQueue } from '../files/use-file-queue.ts';
import type { Place } from './place-names.ts';
import { waysOf } from './ways.ts';

/** The files to send. Those of a known kind choose the way by themselves. */
export function SentFiles({
  queue,
  isSending,
  place,
  choose,
}: {
  queue: FileQueue;
  isSending: boolean;
  place: Place;
  choose: (way: string) => void;
}): ReactNode {
  const [guessed, setGuessed] = useState<string | null>(null);
  const guess = async (file: File): Promise<void> => {
    const kind = await guessKind(file);
    const [name, way] = Object.entries(waysOf(place)).find(([, one]) => one.kind === kind) ?? [];
    setGuessed(way?.label ?? null);
    if (name !== undefined) choose(name);
  };
  return (
    <>
      <ChosenFiles
        queue={{
          ...queue,
          add: (files) => {
            queue.add(files);
            if (files[0] !== undefined) void guess(files[0]);
          },
        }}
        isSending={isSending}
      />
      <Text size="sm" aria-live="polite">
        {guessed !== null && queue.files.length > 0 && `Recognized by its columns: ${guessed}.`}
      </Text>
    </>
  );
}
