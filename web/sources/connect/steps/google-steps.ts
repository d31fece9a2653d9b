import type { LocationNames } from './location-names.ts';
import type { Step, Steps } from './step.ts';

const accountOf = ({ project }: LocationNames): string => `cost-analytics@${project}.iam.gserviceaccount.com`;

/** How a new service account may query a data set. */
export const tableAccess = (names: LocationNames): readonly Step[] => [
  {
    title: 'Let a new service account query it, and nothing else',
    text: 'It may run queries in the project, and read the one data set. Queries are billed to the project.',
    code: [
      `gcloud iam service-accounts create cost-analytics --project=${names.project}`,
      `gcloud projects add-iam-policy-binding ${names.project} --member=serviceAccount:${accountOf(names)} --role=roles/bigquery.jobUser --condition=None`,
      `bq query --project_id=${names.project} --use_legacy_sql=false 'GRANT \`roles/bigquery.dataViewer\` ON SCHEMA \`${names.project}.${names.dataset}\` TO "serviceAccount:${accountOf(names)}"'`,
    ].join('\n'),
    codeName: 'the commands for the service account',
  },
  {
    title: 'Create its key',
    text: 'Paste the file key.json below, and delete it. If your organisation forbids such keys, the policy iam.disableServiceAccountKeyCreation needs an exception for this project.',
    code: `gcloud iam service-accounts keys create key.json --iam-account=${accountOf(names)}`,
    codeName: 'the command for the key',
  },
];

/** Google's bill in the FOCUS format, in a linked data set of BigQuery. */
export const googleFocusSteps: Steps = () => [
  {
    title: 'Create the export',
    text:
      'In the Google Cloud console, open Billing, Billing export and the tab BigQuery export, and enable the FOCUS export (a preview). ' +
      'Google makes a linked data set gcp_billing_immutable_…, and in it the table gcp_billing_export_focus_…. In the location EU or US it begins with the month before, in others with the day on which you enable it, and it keeps two years.',
  },
];

/** Google's standard or detailed usage cost table in BigQuery. */
export const googleUsageSteps: Steps = () => [
  {
    title: 'Create the export',
    text:
      'In the Google Cloud console, open Billing, Billing export and the tab BigQuery export. Edit the settings of “Detailed usage cost”, which has the machines of clusters, or of “Standard usage cost”. ' +
      'The table is gcp_billing_export_resource_v1_… or gcp_billing_export_v1_…, with the id of the billing account. Choose the data set location EU or US, so that it begins with the month before.',
  },
];

/** How a new service account may read a bucket of Google Cloud Storage. */
export const bucketAccess = ({ bucket }: LocationNames): readonly Step[] => [
  {
    title: 'Let a new service account read the bucket, and nothing else',
    text: 'Put the name of your project into the first line. The last command shows the access ID and the secret of an HMAC key, which you paste below.',
    code: [
      'BILLING_PROJECT=my-project',
      'READER=cost-analytics@$BILLING_PROJECT.iam.gserviceaccount.com',
      'gcloud iam service-accounts create cost-analytics --project=$BILLING_PROJECT',
      `gcloud storage buckets add-iam-policy-binding gs://${bucket} --member=serviceAccount:$READER --role=roles/storage.objectViewer`,
      'gcloud storage hmac create $READER --project=$BILLING_PROJECT',
    ].join('\n'),
    codeName: 'the commands',
  },
];
