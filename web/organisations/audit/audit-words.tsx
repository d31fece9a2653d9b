import type { ReactNode } from 'react';
import type { AuditRecord } from './audit-query.ts';
import { PageLink } from '../../shared/page-link.tsx';

const THINGS: Record<string, string> = {
  metric: 'metric',
  team: 'team',
  shared_cost: 'shared cost',
  cost_source: 'cost source',
  webhook: 'webhook',
};

const CHANGES: Record<string, string> = { create: 'Created', update: 'Changed', delete: 'Deleted' };
const IMPORT_CHANGES: Record<string, string> = {
  create: 'Connected',
  update: 'Changed',
  delete: 'Disconnected',
};

const VIEWED: Record<string, string> = {
  metric: 'the metric',
  metrics: 'the list of metrics with',
  months: 'the months of',
  overview: 'the overview with',
  values: 'the values of',
  history: 'the history of values of',
  versions: 'the locked versions of',
  import: 'the import of',
  waiting: 'the list of what waits with',
};

/** What a record says in words, without who and when: `Locked 2026-06 of Orders as version 2`. */
export function AuditWords({
  record: { action, target, detail },
  names,
}: {
  record: AuditRecord;
  names: ReadonlyMap<string, string>;
}): ReactNode {
  const text = (field: string): string => shown(detail[field]);
  const thing = (id: string): ReactNode => <Named id={id} name={names.get(id)} />;
  switch (action) {
    case 'organisation.create':
      return <>Created the organisation</>;
    case 'organisation.update':
      return <>Changed {fieldsOf(detail, [])} of the organisation</>;
    case 'key.create':
      return (
        <>
          Created the key {thing(target)} with permission {text('permission')}
        </>
      );
    case 'key.revoke':
      return <>Revoked the key {thing(target)}</>;
    case 'signed_in':
      return <>Signed in</>;
    case 'signed_out':
      return <>Signed out</>;
    case 'month.lock':
      return (
        <>
          Locked {text('month')} of {thing(target)} as version {text('version')}
        </>
      );
    case 'values.change':
      return (
        <>
          Changed revenue values of {thing(target)}: {text('created')} created, {text('replaced')} replaced,{' '}
          {text('removed')} removed
        </>
      );
    case 'viewed':
      return (
        <>
          Viewed {VIEWED[text('viewed')] ?? text('viewed')} {thing(target)}
        </>
      );
    case 'bills.reseal':
      return (
        <>
          Sealed the bills of {target} again: &ldquo;{text('reason')}&rdquo;
        </>
      );
  }
  const [kind = '', change = ''] = action.split('.');
  if (kind === 'import')
    return (
      <>
        {IMPORT_CHANGES[change]} the {text('type')} import of {thing(text('metric_id'))}
      </>
    );
  if (kind === 'webhook') return <Webhook change={change} detail={detail} />;
  return (
    <>
      {CHANGES[change] ?? action} {change === 'update' && `${fieldsOf(detail, ['name'])} of `}the{' '}
      {THINGS[kind] ?? kind} {thing(target)}
    </>
  );
}

function Webhook({ change, detail }: { change: string; detail: AuditRecord['detail'] }): ReactNode {
  const done =
    detail['rotated_secret'] === true
      ? 'Rotated the secret of'
      : change === 'update' && detail['enabled'] === true
        ? 'Enabled'
        : change === 'update' && detail['enabled'] === false
          ? 'Disabled'
          : CHANGES[change];
  return (
    <>
      {done} the webhook to {shown(detail['url'])}
    </>
  );
}

/** What changed, by the names of the fields. Fields of `always` are in each detail, whether they changed or not. */
function fieldsOf(detail: AuditRecord['detail'], always: readonly string[]): string {
  const { set, through: _, ...fields } = detail;
  const names = Array.isArray(set) ? set.map(shown) : Object.keys(fields);
  const changed = names.filter((name) => !always.includes(name));
  return (changed.length === 0 ? always : changed).map((name) => name.replaceAll('_', ' ')).join(', ');
}

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';

/** The digits at the end of an id distinguish it from others. */
const SHOWN_DIGITS = 6;

/** The pages of things, by how their ids begin. */
const PAGES = new Map([
  ['met', '/business-metrics/$id'],
  ['team', '/teams/$id'],
  ['src', '/sources/$id'],
] as const);

/** A thing by its name, or by the end of its id, with a link to its page if it has one. */
function Named({ id, name }: { id: string; name: string | undefined }): ReactNode {
  const [kind = ''] = id.split('_');
  const text = name ?? `${kind}_…${id.slice(-SHOWN_DIGITS)}`;
  const to = PAGES.get(kind as 'met' | 'team' | 'src');
  return to === undefined ? (
    <span title={id}>&ldquo;{text}&rdquo;</span>
  ) : (
    <PageLink underline="always" title={id} to={to} params={{ id }}>
      {text}
    </PageLink>
  );
}
