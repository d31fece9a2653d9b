/** A month of the printed table of bills, with amounts as printed, without commas. */
export interface PrintedMonth {
  month: string;
  teams: Record<string, { direct: string; shared: string; fullyLoaded: string; status: string }>;
  unallocated: string;
  total: string;
}

const TEAM =
  /^ {2}(?<month>\d{4}-\d\d| {7}) {2}(?<team>Shop|Search) +(?<direct>\S+) +(?<shared>\S+) +(?<loaded>\S+) {2}(?<status>.+)$/;
const WHOLE = /^ {11}(?<what>unallocated|total) +(?<amount>\S+)$/;

const plain = (text = ''): string => text.replaceAll(',', '');

/** Returns the printed table of bills, newest month first. */
export function printedBills(stdout: string): PrintedMonth[] {
  const months: PrintedMonth[] = [];
  for (const line of stdout.split('\n')) {
    const cells = TEAM.exec(line)?.groups;
    const month = cells?.['month']?.trim() ?? '';
    if (month !== '') months.push({ month, teams: {}, unallocated: '', total: '' });
    const current = months.at(-1);
    const whole = WHOLE.exec(line)?.groups;
    if (current === undefined) continue;
    if (cells !== undefined)
      current.teams[cells['team'] ?? ''] = {
        direct: plain(cells['direct']),
        shared: plain(cells['shared']),
        fullyLoaded: plain(cells['loaded']),
        status: cells['status'] ?? '',
      };
    if (whole?.['what'] === 'unallocated') current.unallocated = plain(whole['amount']);
    if (whole?.['what'] === 'total') current.total = plain(whole['amount']);
  }
  return months;
}

/** Returns the printed parts of the teams in a shared cost, without commas. */
export function printedParts(stdout: string, sharedCost: string): [string, string] | undefined {
  const found = new RegExp(`^ {2}${sharedCost} +(\\S+) +(\\S+) {2}\\S`, 'm').exec(stdout);
  return found === null ? undefined : [plain(found[1]), plain(found[2])];
}
