import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { UPLOAD } from '../../../domain/sources/uploads/name-rule.ts';
import { dataOf } from '../../http/api.ts';
import { comingApi } from '../../http/coming-routes.ts';
import { useSession } from '../../http/session.ts';
import { Card } from '../../shared/card.tsx';
import { Form } from '../../shared/forms/form.tsx';
import { RadioGroup } from '../../shared/forms/radio-group.tsx';
import { showAtField } from '../../shared/forms/show-at-field.ts';
import { useChange } from '../../shared/forms/use-change.ts';
import { countText } from '../../shared/numbers.ts';
import { PageLink } from '../../shared/page-link.tsx';
import { CredentialInputs } from '../credentials/credential-inputs.tsx';
import { ChosenFiles } from '../files/chosen-files.tsx';
import { guessKind } from '../files/guess-kind.ts';
import { canSend, useFileQueue, type FileQueue } from '../files/use-file-queue.ts';
import { FurtherFields, LocationField, NameField, OptionFields, type SourceForm } from '../source-fields.tsx';
import { SOURCE_KINDS, type OptionField, type OptionsOfSource } from '../source-kinds.ts';
import { fieldOf, valuesOf, type SourceValues } from '../source-values.ts';
import { sourcesQuery } from '../sources-queries.ts';
import { CheckResult } from './check-result.tsx';
import { freeName } from './free-name.ts';
import { StepList } from './step-list.tsx';
import { namesIn } from './steps/location-names.ts';
import { newBody, useConnect } from './use-connect.ts';
import { PLACES, typeOf, waysOf, type Place, type Way } from './ways.ts';

/** Connects a source in one of the ways of a place: what to prepare there, where it is, what opens it, and a look before. */
export function ConnectForm({
  place,
  wayName,
  way,
  choose,
}: {
  place: Place;
  wayName: string;
  way: Way;
  choose: (way: string) => void;
}): ReactNode {
  const navigate = useNavigate();
  const queue = useFileQueue();
  const [showsMore, setShowsMore] = useState(false);
  const suggestedName = useSuggestedName(way);
  const form = useForm<SourceValues>({
    initialValues: valuesOf(undefined),
    onValuesChange: () => {
      forget();
    },
  });
  const onRefused = (error: unknown): void => {
    setShowsMore(true);
    showAtField(form, fieldOf)(error);
  };
  const check = useChange({
    send: (values: SourceValues, signal) =>
      dataOf(
        comingApi.POST('/api/v1/cost-sources/check', { body: newBody(way, suggestedName, values), signal }),
      ),
    changes: [],
    onRefused,
    showsError: true,
  });
  const { source, change } = useConnect({
    way,
    suggestedName,
    queue,
    onRefused,
    onConnected: ({ id }) => {
      void navigate({ to: '/sources/$id', params: { id } });
    },
  });
  // What was found is not what the changed fields would find.
  const forget = (): void => {
    check.abandon();
    check.reset();
  };
  const { abandon } = check;
  useEffect(() => abandon, [abandon]);
  const isUpload = way.location === UPLOAD;
  return (
    <Form
      change={{ ...change, error: change.isError ? change.error : check.error }}
      action={source === null ? 'Connect' : 'Try again'}
      isReady={!isUpload || canSend(queue)}
      before={
        <>
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/sources" />}>
            Cancel
          </Button>
          {!isUpload && (
            <Button
              variant="default"
              loading={check.isPending}
              onClick={() => {
                change.reset();
                check.mutate(form.getValues());
              }}
            >
              Check
            </Button>
          )}
        </>
      }
      onSubmit={form.onSubmit((values) => {
        forget();
        change.mutate(values);
      })}
    >
      {source === null && <WayChoice place={place} wayName={wayName} choose={choose} />}
      {source === null && <Preparation way={way} location={form.values.location} />}
      <Card title={isUpload ? 'Send the files' : 'Connect it'}>
        <Stack maw={720}>
          {isUpload && <SentFiles queue={queue} isSending={change.isPending} place={place} choose={choose} />}
          {source === null ? (
            <>
              <NameField form={form} suggested={suggestedName} />
              {way.location !== UPLOAD && (
                <LocationField
                  form={form}
                  placeholder={way.location.example}
                  description={way.location.about}
                  isRequired={way.location.isUsual !== true}
                />
              )}
              <Access form={form} way={way} />
              <OptionFields form={form} kind={way.kind} decided={way.options} shows={isNeeded} />
              <Button
                variant="subtle"
                size="xs"
                w="fit-content"
                aria-expanded={showsMore}
                onClick={() => {
                  setShowsMore(!showsMore);
                }}
              >
                {showsMore ? 'Fewer settings' : 'More settings'}
              </Button>
              {showsMore && (
                <>
                  <OptionFields
                    form={form}
                    kind={way.kind}
                    decided={way.options}
                    shows={(...option) => !isNeeded(...option)}
                  />
                  <FurtherFields form={form} />
                </>
              )}
            </>
          ) : (
            <Text size="sm">
              <PageLink underline="always" to="/sources/$id" params={{ id: source.id }}>
                {source.name}
              </PageLink>{' '}
              is connected.
            </Text>
          )}
          {change.data !== undefined && change.data.refused > 0 && !change.isPending && (
            <Alert color="red" role="alert">
              {countText(change.data.refused, 'file')} could not be sent. Remove what cannot be sent, or try
              again.
            </Alert>
          )}
          {check.data !== undefined && !change.isError && <CheckResult check={check.data} />}
        </Stack>
      </Card>
    </Form>
  );
}

/** Returns the name of a new source, until people give it another. */
function useSuggestedName({ name }: Way): string {
  const { data: sources = [] } = useInfiniteQuery(sourcesQuery);
  return freeName(
    name,
    sources.map((source) => source.name),
  );
}

/** Whether a new source mostly needs an option. */
const isNeeded = ({ isUsual, isRequired }: OptionField, source: OptionsOfSource): boolean =>
  isUsual === true || isRequired?.(source) === true;

function WayChoice({
  place,
  wayName,
  choose,
}: {
  place: Place;
  wayName: string;
  choose: (way: string) => void;
}): ReactNode {
  const ways = Object.entries(waysOf(place));
  if (ways.length === 1) return null;
  return (
    <Card title={PLACES[place].question}>
      <RadioGroup
        aria-label={PLACES[place].question}
        choices={Object.fromEntries(
          ways.map(([name, { label, description }]) => [name, { label, description }]),
        )}
        value={wayName}
        onChange={choose}
      />
    </Card>
  );
}

/** What to do outside this service first, with the names that are typed already. */
function Preparation({ way: { steps, kind }, location }: { way: Way; location: string }): ReactNode {
  const { today } = useSession();
  if (steps === undefined) return null;
  return (
    <Card title="Prepare it">
      <Text size="sm" mb="sm">
        Names in capitals become yours once you have typed the location below. The service reads this as “
        {SOURCE_KINDS[kind].label}”.
      </Text>
      <StepList steps={steps(namesIn(location), today)} />
    </Card>
  );
}

/** What opens the location, if it takes anything. */
function Access({ form, way }: { form: SourceForm; way: Way }): ReactNode {
  const type = typeOf(way, form.values.location);
  if (type === null) return null;
  return (
    <Stack gap="sm">
      <Text size="sm">
        What opens it is stored encrypted, belongs to this source only, and is never shown again.
      </Text>
      <CredentialInputs type={type} form={form} />
    </Stack>
  );
}

/** The files to send. Those of a known kind choose the way by themselves. */
function SentFiles({
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
    if (name === undefined || way === undefined) return;
    setGuessed(way.label);
    choose(name);
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
        {guessed !== null && queue.files.length > 0 && `The columns are those of: ${guessed}.`}
      </Text>
    </>
  );
}
