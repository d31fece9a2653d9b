import '@mantine/dates/styles.css';
import { Select, Switch, TextInput } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { paths } from '../http/generated/api-types.d.ts';
import { useSession } from '../http/session.ts';
import type { Day } from '../shared/calendar.ts';
import { calendarOf } from '../shared/forms/date-fields.ts';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import type { Change } from '../shared/forms/use-change.ts';
import { SOURCE_KINDS, type SourceKind } from './source-kinds.ts';
import type { CostSource } from './sources-queries.ts';

const COST_COLUMNS = ['EffectiveCost', 'BilledCost'] as const;

const ON_BILL = {
  auto: 'Not known: hold months back',
  always: 'On a connected bill',
  never: 'On no bill',
} as const;
type OnBill = keyof typeof ON_BILL;

/** What people fill in about a source. A field that its kind does not have stays empty. */
export interface SourceValues {
  name: string;
  kind: SourceKind;
  location: string;
  currency: string;
  costColumn: (typeof COST_COLUMNS)[number];
  cluster: string;
  assetsLocation: string;
  usageLocation: string;
  onBill: OnBill;
  isRead: boolean;
  startsOn: Day | null;
}

const valuesOf = (source: CostSource | undefined): SourceValues => ({
  name: source?.name ?? '',
  kind: source?.kind ?? 'focus',
  location: source?.location ?? '',
  currency: source?.currency ?? '',
  costColumn: source?.kind === 'focus' ? source.options.cost_column : 'EffectiveCost',
  cluster: source?.kind === 'opencost' ? (source.options.cluster ?? '') : '',
  assetsLocation: source?.kind === 'opencost' ? (source.options.assets_location ?? '') : '',
  usageLocation: source?.kind === 'ai_tools' ? source.options.usage_location : '',
  onBill:
    source?.kind === 'opencost' || source?.kind === 'hosts' ? (source.options.on_bill ?? 'auto') : 'auto',
  isRead: !(source?.schedule_paused ?? false),
  startsOn: source?.starts_on ?? null,
});

type NewSource = paths['/api/v1/cost-sources']['post']['requestBody']['content']['application/json'];
type Changes = paths['/api/v1/cost-sources/{id}']['patch']['requestBody']['content']['application/json'];

const commonOf = ({ name, location, currency, isRead, startsOn }: SourceValues) => ({
  name: name.trim(),
  location: location.trim(),
  currency: currency.trim() === '' ? null : currency.trim(),
  schedule_paused: !isRead,
  starts_on: startsOn,
});

const openCostOptions = ({ cluster, assetsLocation, onBill }: SourceValues) => ({
  on_bill: onBill,
  ...(cluster.trim() !== '' && { cluster: cluster.trim() }),
  ...(assetsLocation.trim() !== '' && { assets_location: assetsLocation.trim() }),
});

/** The body that creates a source. */
export function bodyOfNew(values: SourceValues): NewSource {
  const common = commonOf(values);
  switch (values.kind) {
    case 'focus':
      return { ...common, kind: 'focus', options: { cost_column: values.costColumn } };
    case 'opencost':
      return { ...common, kind: 'opencost', options: openCostOptions(values) };
    case 'hosts':
      return { ...common, kind: 'hosts', options: { on_bill: values.onBill } };
    case 'ai_tools':
      return { ...common, kind: 'ai_tools', options: { usage_location: values.usageLocation.trim() } };
  }
}

/** The body that changes a source. Its kind stays. */
export function changesOf(values: SourceValues): Changes {
  const { kind: _, ...changes } = bodyOfNew(values);
  return changes;
}

type Form = UseFormReturnType<SourceValues>;

/** The fields of a source, of its kind, with the API's own words about what is wrong. */
export function SourceForm({
  source,
  change,
  close,
}: {
  /** The source that is edited; none for a new one. */
  source?: CostSource;
  change: Change<SourceValues, CostSource>;
  close: () => void;
}): ReactNode {
  const { organisation, today } = useSession();
  const form = useForm<SourceValues>({ initialValues: valuesOf(source) });
  const { kind } = form.values;
  return (
    <DialogForm
      change={change}
      action={source === undefined ? 'Connect' : 'Save'}
      onSubmit={form.onSubmit((values) => {
        change.mutate(values);
      })}
      onCancel={close}
    >
      <TextInput label="Name" required withAsterisk={false} data-autofocus {...form.getInputProps('name')} />
      <Select
        label="Kind"
        data={Object.entries(SOURCE_KINDS).map(([value, { label }]) => ({ value, label }))}
        allowDeselect={false}
        disabled={source !== undefined}
        description={source === undefined ? undefined : 'The kind of a source cannot change.'}
        {...form.getInputProps('kind')}
      />
      <TextInput
        label="Location"
        required
        withAsterisk={false}
        description={SOURCE_KINDS[kind].location}
        {...form.getInputProps('location')}
      />
      <KindFields kind={kind} form={form} />
      <TextInput
        label="Currency (optional)"
        placeholder={organisation.currency}
        description={`Money is never converted, so it must be ${organisation.currency}.`}
        {...form.getInputProps('currency')}
      />
      <DatePickerInput
        {...calendarOf('source-starts-on')}
        hideOutsideDates
        weekendDays={[]}
        label="Starts on (optional)"
        description="It had no spend before this day. Earlier days are then a known 0, and no month waits for them."
        valueFormat="YYYY-MM-DD"
        placeholder="Not known"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the day' }}
        maxDate={today}
        {...form.getInputProps('startsOn')}
      />
      <Switch
        label="Read it daily"
        description="If not, its spend stays, and no month waits for it."
        {...form.getInputProps('isRead', { type: 'checkbox' })}
      />
    </DialogForm>
  );
}

function KindFields({ kind, form }: { kind: SourceKind; form: Form }): ReactNode {
  switch (kind) {
    case 'focus':
      return (
        <Select
          label="Cost column"
          description="EffectiveCost spreads commitments over the days that use them. BilledCost is what is invoiced."
          data={COST_COLUMNS}
          allowDeselect={false}
          {...form.getInputProps('costColumn')}
        />
      );
    case 'opencost':
      return (
        <>
          <TextInput
            label="Cluster (optional)"
            description="The cluster of rows that name none."
            {...form.getInputProps('cluster')}
          />
          <TextInput
            label="Location of assets (optional)"
            description="Exports with the nodes, disks and load balancers, so that they are found on bills."
            {...form.getInputProps('assetsLocation')}
          />
          <OnBillField form={form} />
        </>
      );
    case 'hosts':
      return <OnBillField form={form} />;
    case 'ai_tools':
      return (
        <TextInput
          label="Location of usage"
          required
          withAsterisk={false}
          description="CSV or Parquet files with the usage by day, tool and repository."
          {...form.getInputProps('usageLocation')}
        />
      );
  }
}

const OnBillField = ({ form }: { form: Form }): ReactNode => (
  <Select
    label="Machines without a bill line"
    description="A bill can have a machine under another name. Then its cost would count twice."
    data={Object.entries(ON_BILL).map(([value, label]) => ({ value, label }))}
    allowDeselect={false}
    {...form.getInputProps('onBill')}
  />
);
