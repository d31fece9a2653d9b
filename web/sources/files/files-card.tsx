import { Button, FileButton, Group, Table, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schema } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { Card } from '../../shared/card.tsx';
import { ConfirmButton } from '../../shared/forms/confirm-button.tsx';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { useChange } from '../../shared/forms/use-change.ts';
import { Instant } from '../../shared/instant.tsx';
import { sizeText } from '../../shared/numbers.ts';
import { Answer, Empty } from '../../shared/states.tsx';
import { DataTable, NumberCell, RowHead } from '../../shared/tables/data-table.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';
import type { CostSource } from '../sources-queries.ts';
import { AddFiles } from './add-files.tsx';
import { sendFile } from './send-file.ts';
import { chooseAgain } from '../../shared/forms/choose-again.ts';

type SentFile = Schema<'SentFile'>;

/** The files that people have sent for a source. */
const filesQuery = (id: string) =>
  queryOptions({
    queryKey: ['source-files', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/cost-sources/{id}/files', { params: { path: { id } }, signal })),
  });

const FILES = ['source-files'];
const BUTTON = { size: 'xs', variant: 'default' } as const;

/** The files of a source whose location is the browser: what was sent and when, to send again and to delete. */
export function FilesCard({ source }: { source: CostSource }): ReactNode {
  const { may } = useSession();
  const query = useQuery(filesQuery(source.id));
  const mayChange = may('admin');
  return (
    <Card
      title="Files"
      minHeight={160}
      actions={
        mayChange && (
          <DialogButton {...BUTTON} button="Send files" title={`Send files for ${source.name}`} isWide>
            {(close) => <AddFiles source={source} close={close} />}
          </DialogButton>
        )
      }
    >
      <Answer query={query} height={100}>
        {(files) =>
          files.length === 0 ? (
            <Empty>No file has been sent. The source needs at least one.</Empty>
          ) : (
            <DataTable label="Files of the source" minWidth={560}>
              <TableHead columns={['File', { numbers: 'Size' }, 'Sent', mayChange && 'Change']} />
              <Table.Tbody>
                {files.map((file) => (
                  <Table.Tr key={file.name}>
                    <RowHead>{file.name}</RowHead>
                    <NumberCell>{sizeText(file.bytes)}</NumberCell>
                    <Table.Td>
                      <Instant at={file.sent_at} />
                    </Table.Td>
                    {mayChange && (
                      <Table.Td>
                        <Group gap="xs" wrap="nowrap">
                          <SendAgain sourceId={source.id} file={file} />
                          <DeleteFile sourceId={source.id} file={file} />
                        </Group>
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </DataTable>
          )
        }
      </Answer>
    </Card>
  );
}

/** Replaces the contents of a file by those of another. */
function SendAgain({ sourceId, file: { name } }: { sourceId: string; file: SentFile }): ReactNode {
  const send = useChange({
    send: (file: File, signal) => sendFile({ sourceId, name, file }, { onProgress: () => undefined, signal }),
    changes: FILES,
    done: () => `${name} is sent again. The next run reads it.`,
  });
  return (
    <FileButton
      onChange={(file) => {
        if (file !== null) send.mutate(file);
      }}
      inputProps={{ ...chooseAgain, 'aria-label': `Send ${name} again` }}
    >
      {(props) => (
        <Button {...BUTTON} {...props} loading={send.isPending} aria-label={`Send again: ${name}`}>
          Send again
        </Button>
      )}
    </FileButton>
  );
}

const DeleteFile = ({ sourceId, file: { name } }: { sourceId: string; file: SentFile }): ReactNode => (
  <ConfirmButton
    {...BUTTON}
    button="Delete"
    aria-label={`Delete: ${name}`}
    title={`Delete ${name}?`}
    action="Delete"
    send={(signal) =>
      dataOf(
        api.DELETE('/api/v1/cost-sources/{id}/files/{name}', {
          params: { path: { id: sourceId, name } },
          signal,
        }),
      )
    }
    changes={FILES}
    done={() => `${name} is deleted.`}
  >
    <Text size="sm">What was read from it stays. Later runs read only the other files.</Text>
  </ConfirmButton>
);
