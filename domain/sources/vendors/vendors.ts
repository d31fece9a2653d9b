import { TOOL as CLAUDE_CODE } from '../otlp/usage-points.ts';

/** What is different about a vendor of AI tools. */
interface VendorRules {
  name: string;
  /** The tool of its spend, or of most of it. */
  tool: string;
  /** The currency that it bills in. */
  currency: string;
  /** How many months back its API answers, at least. The first reading goes as far. */
  months: number;
  /** What the location must be, for messages. */
  location: string;
  /** Reads the path of the location: what its requests begin with (`base`), and what they name. */
  path: RegExp;
  /** The vendor's own hosts. Only they, and hosts of the operator, get a token. */
  hosts: RegExp;
  /** What the token must be allowed to do, for messages. */
  right: string;
}

/** The vendors of AI tools whose API has the spend by day (docs/data-formats.md#ai-tools-from-their-vendors). */
export const VENDORS = {
  github: {
    name: 'GitHub',
    tool: 'copilot',
    currency: 'USD',
    months: 24,
    location:
      'expected "https://api.github.com/organizations/NAME" or "https://api.github.com/enterprises/NAME"',
    path: /^(?<base>.*?)\/(?<of>organizations|enterprises)\/(?<name>[A-Za-z0-9][\w-]{0,99})\/?$/,
    hosts: /^api\.(github\.com|[a-z0-9-]+\.ghe\.com)$/,
    right:
      'for an organisation a fine-grained token with its permission "Administration" (read), for an enterprise a classic token ' +
      'of an administrator or billing manager',
  },
  anthropic: {
    name: 'Anthropic',
    tool: CLAUDE_CODE,
    currency: 'USD',
    months: 24,
    location: 'expected "https://api.anthropic.com", or with one workspace ".../workspaces/wrkspc_..."',
    path: /^(?<base>.*?)(?:\/workspaces\/(?<name>[\w-]{1,100}))?\/?$/,
    hosts: /^api\.anthropic\.com$/,
    right: 'an Admin API key ("sk-ant-admin..."), which an admin makes in the Console',
  },
  cursor: {
    name: 'Cursor',
    tool: 'cursor',
    currency: 'USD',
    months: 12,
    location: 'expected "https://api.cursor.com"',
    path: /^(?<base>.*?)\/?$/,
    hosts: /^api\.cursor\.com$/,
    right: 'a key of the Admin API, which an admin of the team makes in the dashboard',
  },
} as const satisfies Record<string, VendorRules>;

export type Vendor = keyof typeof VENDORS;

/** Where a vendor is asked, and about what. */
export interface VendorPlace {
  vendor: Vendor;
  host: string;
  /** Whether the host is the vendor's own, and proves it. */
  isOwnHost: boolean;
  /** The URL that paths are added to, without a slash at its end. */
  base: string;
  /** `organizations` or `enterprises`, for GitHub. */
  of: string;
  /** The organisation, enterprise or workspace; empty for all of Anthropic or Cursor. */
  name: string;
}

/** Returns the place that a location names; null if it is none of the vendor's. */
export function vendorPlace(vendor: Vendor, location: string): VendorPlace | null {
  if (!URL.canParse(location)) return null;
  const url = new URL(location);
  const rules: VendorRules = VENDORS[vendor];
  const parts = rules.path.exec(url.pathname)?.groups;
  if (!/^https?:$/.test(url.protocol) || url.search + url.hash !== '' || parts === undefined) return null;
  const { base = '', of = '', name = '' } = parts;
  return {
    vendor,
    host: url.hostname,
    isOwnHost: url.protocol === 'https:' && url.port === '' && rules.hosts.test(url.hostname),
    base: `${url.origin}${base}`,
    of,
    name,
  };
}
