import { monthOf, type Day } from '../../domain/shared/calendar.ts';
import { growth, isWeekend, season, wobble } from './demand.ts';

export type Cloud = 'aws' | 'azure' | 'gcp';
/** Returns an AWS account, an Azure subscription or a Google project. */
const account = (cloud: Cloud, id: string, name: string) => ({ cloud, id, name });
export type Account = ReturnType<typeof account>;

/** The accounts of the sample shop. Cluster `prod` and host `db-1` run in `platform`. */
export const ACCOUNTS = {
  payer: account('aws', '100000000001', 'Payer'),
  shop: account('aws', '210000000001', 'Shop production'),
  data: account('aws', '210000000002', 'Data platform'),
  staging: account('aws', '210000000003', 'Shop staging'),
  platform: account('aws', '210000000004', 'Shop platform'),
  backOffice: account('azure', '/subscriptions/5e1f0000-0000-4000-8000-000000000001', 'Back office'),
  insight: account('azure', '/subscriptions/5e1f0000-0000-4000-8000-000000000002', 'Customer insight'),
  search: account('gcp', 'shop-search', 'shop-search'),
  analytics: account('gcp', 'shop-analytics', 'shop-analytics'),
};

/** Each service: the time that a bill line covers, its name and category, and the beginning of its resources' ids. */
const SERVICES = {
  ec2: ['hour', 'Amazon Elastic Compute Cloud', 'Compute', 'arn:aws:ec2:eu-west-1:{account}:instance/'],
  ebs: ['day', 'Amazon Elastic Block Store', 'Storage', 'arn:aws:ec2:eu-west-1:{account}:volume/'],
  s3: ['hour', 'Amazon Simple Storage Service', 'Storage', 'arn:aws:s3:::'],
  rds: ['hour', 'Amazon Relational Database Service', 'Databases', 'arn:aws:rds:eu-west-1:{account}:db:'],
  dynamoDb: ['day', 'Amazon DynamoDB', 'Databases', 'arn:aws:dynamodb:eu-west-1:{account}:table/'],
  redshift: ['hour', 'Amazon Redshift', 'Analytics', 'arn:aws:redshift:eu-west-1:{account}:cluster:'],
  cloudFront: ['hour', 'Amazon CloudFront', 'Networking', 'arn:aws:cloudfront::{account}:distribution/'],
  vm: ['day', 'Virtual Machines', 'Compute', '{group}/Microsoft.Compute/virtualMachines/'],
  sql: ['day', 'SQL Database', 'Databases', '{group}/Microsoft.Sql/servers/erp/databases/'],
  web: ['day', 'Azure App Service', 'Compute', '{group}/Microsoft.Web/sites/'],
  openAi: ['day', 'Azure OpenAI', 'AI and Machine Learning', '{group}/Microsoft.CognitiveServices/accounts/'],
  blobs: ['day', 'Storage Accounts', 'Storage', '{group}/Microsoft.Storage/storageAccounts/'],
  gke: ['hour', 'Kubernetes Engine', 'Compute', '//container.googleapis.com/projects/{account}/clusters/'],
  cloudSql: ['hour', 'Cloud SQL', 'Databases', '//cloudsql.googleapis.com/projects/{account}/instances/'],
  bigQuery: ['hour', 'BigQuery', 'Analytics', '//bigquery.googleapis.com/projects/{account}/datasets/'],
  gcs: ['hour', 'Cloud Storage', 'Storage', '//storage.googleapis.com/'],
} as const;

/** How a cost changes: with the shop's customers, with office hours, or only by steady growth. */
type Load = 'busy' | 'office' | 'steady';

/** Returns a resource that the sample shop rents, with the columns that are the same in all its bill lines. */
function rented(
  service: keyof typeof SERVICES,
  id: string,
  owner: Account,
  dollarsPerDay: number,
  load: Load,
  { tags, group }: { tags?: Record<string, string>; group?: string } = {},
) {
  const [billedPer, name, category, prefix] = SERVICES[service];
  const billedId = prefix
    .replace('{group}', `${owner.id}/resourceGroups/${group ?? ''}/providers`)
    .replace('{account}', owner.id);
  const columns = {
    ResourceId: `${billedId}${id}`,
    ServiceCategory: category,
    ServiceName: name,
    SubAccountId: owner.id,
    SubAccountName: owner.name,
    Tags: tags === undefined ? '' : JSON.stringify(tags),
    x_ResourceGroupName: group ?? '',
  };
  return { id, cloud: owner.cloud, billedPer, dollarsPerDay, load, columns };
}

export type Resource = ReturnType<typeof rented>;

const { shop, data, staging, platform, backOffice, insight, search, analytics } = ACCOUNTS;

/** All that the sample shop rents from clouds: service, id, account, dollars a day, load, and tags or group. */
export const RESOURCES: readonly Resource[] = [
  rented('ec2', 'i-0a10000000000001', shop, 168, 'busy', { tags: { team: 'storefront', env: 'production' } }),
  rented('ec2', 'i-0a10000000000002', shop, 121, 'busy', { tags: { team: 'checkout', env: 'production' } }),
  rented('rds', 'orders', shop, 144, 'steady', { tags: { team: 'checkout', env: 'production' } }),
  rented('cloudFront', 'E1SHOP', shop, 58, 'busy', { tags: { team: 'storefront', env: 'production' } }),
  rented('s3', 'shop-images', shop, 31, 'steady'),
  rented('redshift', 'sales', data, 96, 'steady', { tags: { team: 'data' } }),
  rented('s3', 'shop-lake', data, 42, 'steady', { tags: { team: 'data' } }),
  rented('ec2', 'i-0a30000000000001', staging, 47, 'office', { tags: { env: 'staging' } }),
  rented('ec2', 'i-0c10000000000001', platform, 46, 'steady'),
  rented('ec2', 'i-0c10000000000002', platform, 46, 'steady'),
  rented('ebs', 'vol-0c10000000000001', platform, 6, 'steady'),
  rented('ec2', 'i-0db0000000000001', platform, 33, 'steady'),
  rented('dynamoDb', 'carts', platform, 18, 'busy'),
  rented('vm', 'erp-1', backOffice, 78, 'steady', { group: 'rg-erp' }),
  rented('sql', 'erp', backOffice, 64, 'steady', { group: 'rg-erp' }),
  rented('web', 'intranet', backOffice, 22, 'office', { group: 'rg-intranet' }),
  rented('openAi', 'recommend', insight, 71, 'busy', { group: 'rg-recommend' }),
  rented('blobs', 'insight', insight, 17, 'steady', { group: 'rg-recommend' }),
  rented('gke', 'search', search, 88, 'busy', { tags: { team: 'search' } }),
  rented('cloudSql', 'catalogue', search, 34, 'steady', { tags: { team: 'search' } }),
  rented('bigQuery', 'clicks', analytics, 52, 'office', { tags: { team: 'data' } }),
  rented('gcs', 'shop-clicks', analytics, 14, 'steady', { tags: { team: 'data' } }),
];

/** Returns the resource with an id of the table. On the bill a longer id ends with it. */
export function resource(id: string): Resource {
  const found = RESOURCES.find((each) => each.id === id);
  if (found === undefined) throw new Error(`the sample shop rents no ${id}`);
  return found;
}

/** Returns what a resource costs on a day, in dollars. */
export function costOfDay({ columns, dollarsPerDay, load }: Resource, day: Day): number {
  const month = monthOf(day);
  const level = {
    busy: growth(month, 0.011) * season(month) * (isWeekend(day) ? 1.12 : 1),
    office: isWeekend(day) ? 0.25 : 1,
    steady: growth(month, 0.008),
  }[load];
  return dollarsPerDay * level * wobble(`${columns.ResourceId} ${day}`, 0.06);
}
