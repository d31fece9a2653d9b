import { Textarea, TextInput } from '@mantine/core';
import type { PlatformForm } from './platform-form.ts';

interface Fields extends Record<string, string> {
  projectId: string;
  location: string;
  query: string;
  credentials: string;
}

/** Returns the JSON of a service account key, or the text itself for the service to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** Connects a metric with a query in BigQuery. */
export const BIGQUERY_FORM: PlatformForm<Fields> = {
  initial: (connection) => ({
    projectId: connection?.project_id ?? '',
    location: connection?.location ?? '',
    query: connection?.query ?? '',
    credentials: '',
  }),
  bodyOf: ({ projectId, location, query, credentials }) => ({
    type: 'bigquery',
    project_id: projectId.trim(),
    ...(location.trim() === '' ? {} : { location: location.trim() }),
    query,
    credentials: parsed(credentials),
  }),
  Inputs: ({ metric, inputOf }) => (
    <>
      <TextInput
        label="Project"
        description="The Google Cloud project that runs and pays for the query"
        required
        {...inputOf('projectId')}
      />
      <TextInput
        label="Location"
        description="For example EU. Empty for the default of the project."
        {...inputOf('location')}
      />
      <Textarea
        label="Query"
        description={`One SELECT with @start and @end, which returns day, value${metric.label_key === null ? '' : ' and label'}`}
        autosize
        minRows={4}
        required
        styles={MONOSPACE}
        {...inputOf('query')}
      />
      <Textarea
        label="Service account key"
        description="The JSON key file. It is stored encrypted and never shown again."
        minRows={3}
        maxRows={6}
        autosize
        required
        autoComplete="off"
        styles={MONOSPACE}
        {...inputOf('credentials')}
      />
    </>
  ),
};
