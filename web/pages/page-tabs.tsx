import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

interface Tab {
  title: string;
  content: ReactNode;
}

/** The tabs of a page by their names in its address, or null for those that a person does not have. Only the shown one is drawn. */
export const PageTabs = <Name extends string>({
  label,
  show,
  tabs,
  onShow,
}: {
  label: string;
  show: Name;
  tabs: Readonly<Record<Name, Tab | null>>;
  onShow: (name: Name) => void;
}): ReactNode => (
  <Tabs
    value={show}
    onChange={(name) => {
      onShow(name as Name);
    }}
  >
    <Tabs.List mb="md" aria-label={label}>
      {Object.entries<Tab | null>(tabs).map(
        ([name, tab]) =>
          tab !== null && (
            <Tabs.Tab key={name} value={name}>
              {tab.title}
            </Tabs.Tab>
          ),
      )}
    </Tabs.List>
    <Tabs.Panel value={show}>{tabs[show]?.content}</Tabs.Panel>
  </Tabs>
);
