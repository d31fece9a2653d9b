import { Button, Group, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Key } from '../keys/keys-query.ts';
import { ACTION_NAMES, AUDIT_ACTIONS } from './audit-actions.ts';
import type { AuditFilter, AuditRecord } from './audit-query.ts';

const WIDTH = { base: '100%', xs: 200 };

/** The filters of the audit log: by whom, what, to what, and when. */
export function AuditFilters({
  filter,
  keys,
  records,
  onChange,
}: {
  filter: AuditFilter;
  keys: readonly Key[];
  /** The shown records. Their actors can be picked, too. */
  records: readonly AuditRecord[];
  onChange: (changes: AuditFilter) => void;
}): ReactNode {
  const { actor, action, target, start, end } = filter;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Group align="flex-end" gap="sm" mb="md" role="search" aria-label="Filters of the audit log">
      <Select
        label="Actor"
        placeholder="Everyone"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the actor' }}
        w={WIDTH}
        data={actorsOf(keys, records, actor)}
        value={actor ?? null}
        onChange={(value) => {
          onChange({ actor: value ?? undefined });
        }}
      />
      <Select
        label="Action"
        placeholder="Every action"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the action' }}
        w={WIDTH}
        data={AUDIT_ACTIONS.map((value) => ({ value, label: ACTION_NAMES[value] }))}
        value={action ?? null}
        onChange={(value) => {
          onChange({ action: AUDIT_ACTIONS.find((known) => known === value) });
        }}
      />
      <TextInput
        label="Target id"
        placeholder="For example met_…"
        w={WIDTH}
        value={target ?? ''}
        onChange={({ currentTarget: { value } }) => {
          onChange({ target: value.trim() || undefined });
        }}
      />
      <TextInput
        label="From"
        type="date"
        max={end}
        w={{ base: '100%', xs: 150 }}
        value={start ?? ''}
        onChange={({ currentTarget: { value } }) => {
          onChange({ start: value || undefined });
        }}
      />
      <TextInput
        label="To"
        type="date"
        min={start}
        w={{ base: '100%', xs: 150 }}
        value={end ?? ''}
        onChange={({ currentTarget: { value } }) => {
          onChange({ end: value || undefined });
        }}
      />
      {isFiltered && (
        <Button
          variant="default"
          onClick={() => {
            onChange({
              actor: undefined,
              action: undefined,
              target: undefined,
              start: undefined,
              end: undefined,
            });
          }}
        >
          Clear filters
        </Button>
      )}
    </Group>
  );
}

const OPERATOR = 'operator';

/** The keys, then others that the shown records name. A filter that nobody names shows its id. */
function actorsOf(
  keys: readonly Key[],
  records: readonly AuditRecord[],
  chosen: string | undefined,
): { group: string; items: { value: string; label: string }[] }[] {
  const keyIds = new Set(keys.map(({ id }) => id));
  const others = new Map<string, string>([
    [OPERATOR, 'The operator'],
    ...(chosen === undefined ? [] : [[chosen, chosen] as const]),
    ...records.flatMap(({ actor: { id, name, type } }): [string, string][] =>
      type === 'import'
        ? [[id, `Import from ${name}, run ${id.slice(-6)}`]]
        : type === 'webhook'
          ? [[id, `The endpoint at ${name}`]]
          : [],
    ),
  ]);
  return [
    {
      group: 'Keys',
      items: keys.map(({ id, name, revoked_at }) => ({
        value: id,
        label: revoked_at === null ? name : `${name} (revoked)`,
      })),
    },
    {
      group: 'Others',
      items: [...others].flatMap(([value, label]) => (keyIds.has(value) ? [] : [{ value, label }])),
    },
  ];
}
