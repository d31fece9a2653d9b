import type { MeteredResource } from './metered-resource.ts';

/** The AWS account in which cluster `prod` and host `db-1` run. */
export const PLATFORM = { account: '210000000004', accountName: 'Shop platform' };

/** A resource of the account; on the bill its id is an ARN that ends in its own. */
interface PlatformResource extends MeteredResource {
  /** The id by which the cluster or the host knows it. */
  providerId: string;
}

const EC2 = { service: 'Amazon Elastic Compute Cloud', category: 'Compute' };
const EBS = { service: 'Amazon Elastic Block Store', category: 'Storage' };

const ofAccount = (
  kind: 'instance' | 'volume',
  providerId: string,
  product: { service: string; category: string },
  dollarsPerDay: number,
): PlatformResource => ({
  ...PLATFORM,
  ...product,
  providerId,
  resource: `arn:aws:ec2:eu-west-1:${PLATFORM.account}:${kind}/${providerId}`,
  dollarsPerDay,
  load: 'steady',
});

/** The machines of cluster `prod`. */
export const PROD_NODES: readonly PlatformResource[] = [
  ofAccount('instance', 'i-0c10000000000001', EC2, 46),
  ofAccount('instance', 'i-0c10000000000002', EC2, 46),
];

/** The disk of cluster `prod`. */
export const PROD_DISK: PlatformResource = ofAccount('volume', 'vol-0c10000000000001', EBS, 6);

/** The machine that is host `db-1`. */
export const DB_MACHINE: PlatformResource = ofAccount('instance', 'i-0db0000000000001', EC2, 33);

/** What the account has beside the cluster and the host: it alone is left when the account is picked. */
export const CARTS: MeteredResource = {
  ...PLATFORM,
  service: 'Amazon DynamoDB',
  category: 'Databases',
  resource: `arn:aws:dynamodb:eu-west-1:${PLATFORM.account}:table/carts`,
  dollarsPerDay: 18,
  load: 'busy',
};
