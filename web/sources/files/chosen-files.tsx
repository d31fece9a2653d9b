import { ActionIcon, Button, FileButton, Group, List, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconCheck, IconUpload, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Dimmed } from '../../shared/dimmed.tsx';
import { percentText, sizeText } from '../../shared/numbers.ts';
import type { FileQueue, QueuedFile } from './use-file-queue.ts';
import { chooseAgain } from '../../shared/forms/choose-again.ts';

const ACCEPTED = '.csv,.gz,.parquet,text/csv,application/gzip';

/** Where people choose or drop files, and how far each is sent. */
export function ChosenFiles({ queue, isSending }: { queue: FileQueue; isSending: boolean }): ReactNode {
  const [isOver, setOver] = useState(false);
  return (
    <Stack gap="sm">
      <Paper
        withBorder
        p="lg"
        style={{
          borderStyle: 'dashed',
          ...(isOver ? { borderColor: 'var(--mantine-primary-color-filled)' } : {}),
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => {
          setOver(false);
        }}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!isSending) queue.add([...event.dataTransfer.files]);
        }}
      >
        <Group justify="center" gap="sm">
          <IconUpload size={20} aria-hidden />
          <Text size="sm">Drop files here, or</Text>
          <FileButton
            multiple
            accept={ACCEPTED}
            onChange={queue.add}
            inputProps={{ ...chooseAgain, 'aria-label': 'Choose files' }}
          >
            {(props) => (
              <Button {...props} size="xs" variant="default" disabled={isSending}>
                Choose files
              </Button>
            )}
          </FileButton>
        </Group>
        <Dimmed size="xs" ta="center" mt="xs">
          CSV, gzipped CSV or Parquet
        </Dimmed>
      </Paper>
      {queue.files.length > 0 && (
        <List listStyleType="none" spacing="xs" aria-label="Chosen files">
          {queue.files.map((file) => (
            <ChosenFile
              key={file.name}
              file={file}
              onRemove={
                isSending || file.state === 'sent'
                  ? null
                  : () => {
                      queue.remove(file.name);
                    }
              }
            />
          ))}
        </List>
      )}
    </Stack>
  );
}

const WORDS: Record<QueuedFile['state'], string> = {
  waiting: 'not sent yet',
  sending: 'is being sent',
  sent: 'sent',
  refused: 'not sent',
};

const ChosenFile = ({
  file: { name, file, state, share, problem },
  onRemove,
}: {
  file: QueuedFile;
  /** Takes it out of the list; null if nobody can. */
  onRemove: (() => void) | null;
}): ReactNode => (
  <List.Item styles={{ itemWrapper: { display: 'block' }, itemLabel: { display: 'block' } }}>
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <Group gap="xs" miw={0}>
        {state === 'sent' && <IconCheck size={16} color="var(--mantine-color-green-text)" aria-hidden />}
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Dimmed size="xs">
          {sizeText(file.size)}, {state === 'sending' ? `${percentText(share * 100)} sent` : WORDS[state]}
        </Dimmed>
      </Group>
      {onRemove !== null && (
        <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${name}`} onClick={onRemove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
    {state === 'sending' && <Progress value={share * 100} size="sm" aria-label={`Sent of ${name}`} />}
    {problem !== null && (
      <Text size="sm" c="var(--mantine-color-error)" role="alert">
        {problem}
      </Text>
    )}
  </List.Item>
);
