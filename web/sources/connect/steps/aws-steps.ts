import type { LocationNames } from './location-names.ts';
import type { Step, Steps } from './step.ts';

/** Returns the rights that reading a folder of a bucket needs, and no others. The manifests of an export lie beside its data. */
export function readingPolicy({ bucket, prefix: folder }: LocationNames): string {
  const prefix = folder.replace(/(?:^|\/)data(?:\/.*)?$/, '');
  const within = prefix === '' ? '' : `${prefix}/`;
  return JSON.stringify(
    {
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'ListTheExports',
          Effect: 'Allow',
          Action: 's3:ListBucket',
          Resource: `arn:aws:s3:::${bucket}`,
          ...(prefix === '' ? {} : { Condition: { StringLike: { 's3:prefix': `${prefix}*` } } }),
        },
        {
          Sid: 'ReadTheExports',
          Effect: 'Allow',
          Action: 's3:GetObject',
          Resource: `arn:aws:s3:::${bucket}/${within}*`,
        },
      ],
    },
    null,
    2,
  );
}

/** How a new user may read a folder of a bucket. */
export const awsAccess = (names: LocationNames): readonly Step[] => [
  {
    title: 'Let a new user read that folder, and nothing else',
    text: 'Save this policy as policy.json. If the bucket encrypts with a key of KMS, the user also needs kms:Decrypt for that key.',
    code: readingPolicy(names),
    codeName: 'the policy',
  },
  {
    title: 'Create the user and its key',
    text: 'The last command shows the access key id and the secret access key, which you paste below.',
    code: [
      'aws iam create-user --user-name cost-analytics',
      'aws iam put-user-policy --user-name cost-analytics --policy-name read-cost-exports --policy-document file://policy.json',
      'aws iam create-access-key --user-name cost-analytics',
    ].join('\n'),
    codeName: 'the commands',
  },
];

const WHERE =
  'Do this in the management account, so that the export has all accounts. AWS writes the first files within a day.';

const delivery = ({ bucket, prefix }: LocationNames): string =>
  `Delivery: bucket ${bucket}${prefix === '' ? '' : ' with the path prefix that your location begins with'}, file format Parquet, and “Overwrite existing data export file”.`;

/** AWS Data Exports in the FOCUS format. */
export const awsFocusSteps: Steps = (names) => [
  {
    title: 'Create the export',
    text:
      `In Billing and Cost Management, open Data Exports and choose Create: a standard data export of the table FOCUS 1.2 with AWS columns, or FOCUS 1.0. ` +
      `${delivery(names)} ${WHERE}`,
  },
];

/** AWS Cost and Usage Reports. */
export const awsCurSteps: Steps = (names) => [
  {
    title: 'Create the export, or use the one that you have',
    text:
      'In Billing and Cost Management, open Data Exports and choose Create: a standard data export of CUR 2.0, with “Include resource IDs”, and the time granularity Daily or Hourly. ' +
      `${delivery(names)} ${WHERE} Older Cost and Usage Reports are read too.`,
  },
];
