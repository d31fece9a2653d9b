import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

/** The tabs of a page by their names in its address. Only the shown one is drawn. */
export function PageTabs<Name extends string>({
  label,
  show,
  tabs,
  onShow,
}: {
  label: string;
  show: Name;
  tabs: Readonly<Partial<Record<Name, { title: string; content: ReactNode }>>>;
  onShow: (name: Name) => void;
}): ReactNode {
  const shown = Object.entries<{ title: string; content: ReactNode } | undefined>(tabs);
  return (
    <Tabs
      value={show}
      keepMounted={false}
      onChange={(name) => {
        onShow(name as Name);
      }}
    >
      <Tabs.List mb="md" aria-label={label}>
        {shown.map(([name, tab]) => (
          <Tabs.Tab key={name} value={name}>
            {tab?.title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map(([name, tab]) => (
        <Tabs.Panel key={name} value={name}>
          {tab?.content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
