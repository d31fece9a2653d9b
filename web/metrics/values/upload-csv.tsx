import { Alert, Button, Code, FileButton, Group, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { messageOf } from '../../http/api-error.ts';
import { Dialog } from '../../shared/forms/dialog.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { useChange } from '../../shared/forms/use-change.ts';
import { TableHead } from '../../shared/tables/table-head.tsx';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metric-queries.ts';
import { wrongLines } from './wrong-lines.ts';

/** The button that stores the values of a CSV file. Wrong lines are shown with their contents, and nothing is stored. */
export function UploadCsv({ metric }: { metric: ShownMetric }): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const upload = useChange({
    send: (chosen: File) =>
      dataOf(
        api.POST('/api/v1/metrics/{id}/values/csv', {
          params: { path: { id: metric.id } },
          headers: { 'Content-Type': 'text/csv' },
          body: '',
          // The browser streams the file itself.
          bodySerializer: () => chosen,
        }),
      ),
    changes: NUMBERS_OF_METRICS,
    done: ({ created, replaced, unchanged, rounded }, { name }) =>
      `${name}: ${created} values are new, ${replaced} replaced, ${unchanged} unchanged.` +
      (rounded === 0 ? '' : ` ${rounded} had more than ten decimals and were rounded to ten.`),
    showsError: true,
  });
  const send = (chosen: File | null): void => {
    if (chosen === null) return;
    setFile(chosen);
    upload.mutate(chosen);
  };
  const columns = metric.label_key === null ? 'period,value' : 'period,label,value';
  return (
    <>
      <FileButton accept=".csv,text/csv" onChange={send} inputProps={{ 'aria-label': 'Upload CSV' }}>
        {(props) => (
          <Button {...props} size="xs" variant="default" loading={upload.isPending}>
            Upload CSV
          </Button>
        )}
      </FileButton>
      <Dialog opened={upload.isError} onClose={upload.reset} title="Nothing was stored" isWide>
        {file !== null && upload.isError && (
          <Stack>
            <Alert color="red" role="alert">
              {messageOf(upload.error)}
            </Alert>
            <WrongLines file={file} message={messageOf(upload.error)} />
            <Dimmed>
              Expected the columns <Code>{columns}</Code>, and a period such as{' '}
              <Code>{metric.frequency === 'daily' ? '2026-01-31' : '2026-01'}</Code> in each line.
            </Dimmed>
            <Group justify="flex-end">
              <Button variant="default" onClick={upload.reset}>
                Close
              </Button>
              <FileButton accept=".csv,text/csv" onChange={send}>
                {(props) => <Button {...props}>Choose another file</Button>}
              </FileButton>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  );
}

/** The lines of the file that the message names, with their contents. */
function WrongLines({ file, message }: { file: File; message: string }): ReactNode {
  const { data: lines = [] } = useQuery({
    queryKey: ['wrong-lines', file.name, file.size, file.lastModified, message],
    queryFn: () => wrongLines(file, message),
  });
  if (lines.length === 0) return null;
  return (
    <Table aria-label="Wrong lines">
      <TableHead columns={['Line', 'Content', 'What is wrong']} />
      <Table.Tbody>
        {lines.map(({ line, content, problem }) => (
          <Table.Tr key={line}>
            <Table.Th scope="row">{line}</Table.Th>
            <Table.Td>
              <Code>{content}</Code>
            </Table.Td>
            <Table.Td>{problem}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
