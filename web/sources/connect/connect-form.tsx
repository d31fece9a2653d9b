import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { UPLOAD } from '../../../domain/sources/uploads/name-rule.ts';
import { api, dataOf } from '../../http/api.ts';
import { messageOf } from '../../http/api-error.ts';
import { problemOf } from '../../http/problem-of-field.ts';
import { Card } from '../../shared/card.tsx';
import { Form } from '../../shared/forms/form.tsx';
import { showProblem } from '../../shared/forms/show-at-field.ts';
import { useChange } from '../../shared/forms/use-change.ts';
import { countText } from '../../shared/numbers.ts';
import { PageLink } from '../../shared/page-link.tsx';
import { canSend, useFileQueue } from '../files/use-file-queue.ts';
import { valuesOf, type SourceValues } from '../source-values.ts';
import { sourcesQuery } from '../sources-queries.ts';
import { CheckResult } from './check-result.tsx';
import { freeName } from './free-name.ts';
import { fieldOfProblem, inWordsOfForm } from './problem-in-form.ts';
import { Preparation } from './preparation.tsx';
import { SentFiles } from './sent-files.tsx';
import { Settings } from './settings.tsx';
import { newBody, useConnect } from './use-connect.ts';
import { WayChoice } from './way-choice.tsx';
import type { Place } from './place-names.ts';
import { typeOf, type Way } from './ways.ts';

/** Connects a source in one of the ways of a place: where it is, what to prepare there, what opens it, and a look before. */
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
  /** Whoever has left is not carried to the new source. */
  const isShown = useRef(true);
  const suggestedName = useSuggestedName(way);
  const form = useForm<SourceValues>({
    initialValues: valuesOf(undefined),
    onValuesChange: () => {
      forget();
    },
  });
  /** What a problem depends on, of what is filled in now. */
  const filled = () => {
    const { location, credentials } = form.getValues();
    return { place, type: typeOf(way, location), credentials };
  };
  /** Shows the first problem that belongs to a field there. */
  const show = (problems: readonly string[]): void => {
    const [first] = problems.flatMap((problem) => {
      const field = fieldOfProblem(problem, filled());
      const words = inWordsOfForm(problem, filled());
      return field === null ? [] : [{ field, problem: problemOf(words)?.problem ?? words }];
    });
    if (first === undefined) return;
    showProblem(form, first, () => {
      // The field must be there before it can have the focus.
      flushSync(() => {
        setShowsMore(true);
      });
    });
  };
  const onRefused = (error: unknown): void => {
    show([messageOf(error)]);
  };
  const check = useChange({
    send: (values: SourceValues, signal) =>
      dataOf(api.POST('/api/v1/cost-sources/check', { body: newBody(way, suggestedName, values), signal })),
    changes: [],
    onDone: ({ problems }) => {
      show(problems);
    },
    onRefused,
    showsError: true,
  });
  const { source, change } = useConnect({
    way,
    suggestedName,
    queue,
    onRefused,
    onConnected: ({ id }) => {
      if (isShown.current) void navigate({ to: '/sources/$id', params: { id } });
    },
  });
  // What was found is not what the changed fields would find.
  const forget = (): void => {
    check.abandon();
    check.reset();
  };
  const { abandon } = check;
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      abandon();
    };
  }, [abandon]);
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
          {!isUpload && source === null && (
            <Button
              variant="default"
              loading={check.isPending}
              disabled={change.isPending}
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
      {source === null && (
        <>
          <WayChoice
            place={place}
            value={wayName}
            onChange={(name) => {
              forget();
              choose(name);
            }}
          />
          <Preparation way={way} form={form} />
        </>
      )}
      <Card title={isUpload ? 'Send the files' : 'Connect it'}>
        <Stack maw={720}>
          {isUpload && <SentFiles queue={queue} isSending={change.isPending} place={place} choose={choose} />}
          {source === null ? (
            <Settings {...{ form, way, suggestedName, showsMore, setShowsMore }} />
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
          {/* Screen readers read what arrives in it, not what arrives with it. */}
          <div role="status">
            {check.data !== undefined && !change.isError && (
              <CheckResult
                check={{
                  ...check.data,
                  problems: check.data.problems.map((problem) => inWordsOfForm(problem, filled())),
                }}
              />
            )}
          </div>
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
