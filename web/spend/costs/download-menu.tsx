import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useChange } from '../../shared/forms/use-change.ts';
import type { CostRange } from './cost-range.ts';
import { breakdownFile, FORMATS, type CostKeys, type Format } from './costs-queries.ts';

/** Saves a file as the browser's downloads do. */
function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** A menu that downloads every row of a breakdown, with all decimals, in one of the formats. */
export function DownloadMenu({
  range,
  keys,
  what,
}: {
  range: CostRange;
  keys: CostKeys;
  /** What the rows are, for the name of the button. */
  what: string;
}): ReactNode {
  const download = useChange({
    send: (format: Format) => breakdownFile(range, keys, format),
    changes: [],
    onDone: (file, format) => {
      save(file, `costs-by-${keys.join('-and-')}-${range.start}-to-${range.end}.${format}`);
    },
  });
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-label={`Download ${what}`}
          loading={download.isPending}
        >
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(FORMATS) as Format[]).map((format) => (
          <Menu.Item
            key={format}
            onClick={() => {
              download.mutate(format);
            }}
          >
            {FORMATS[format].label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
