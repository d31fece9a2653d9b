import type { Day } from '../../domain/shared/calendar.ts';
import { csvLine } from './csv-line.ts';
import { UNITS_PER_DOLLAR } from './focus-row.ts';
import { costOfDay } from './metered-resource.ts';
import { wobble } from './noise.ts';
import { DB_MACHINE } from './platform-account.ts';
import { isWeekend } from './season.ts';

/**
 * What two hosts cost by service (a service that is empty or `__idle__` is nobody's): `db-1`, whose machine is on
 * the AWS bill, and `cellar-1`, which no bill knows.
 */
export function* hostsCsv(days: readonly Day[]): Generator<string> {
  yield 'day,host,service,cost,machine_id\n';
  for (const day of days) {
    const machine = (costOfDay(DB_MACHINE, day) / UNITS_PER_DOLLAR) * 0.95;
    const postgres = 0.62 * wobble(`postgres ${day}`, 0.1);
    yield hostLine(day, 'db-1', 'postgres', machine * postgres);
    yield hostLine(day, 'db-1', 'pgbouncer', machine * 0.07);
    yield hostLine(day, 'db-1', '', machine * (0.93 - postgres));
    yield hostLine(day, 'cellar-1', 'backup', 3.2);
    yield hostLine(day, 'cellar-1', 'builds', isWeekend(day) ? 0.4 : 4.1 * wobble(`builds ${day}`, 0.2));
    yield hostLine(day, 'cellar-1', '__idle__', 1.5);
  }
}

const hostLine = (day: Day, host: string, service: string, dollars: number): string =>
  csvLine([day, host, service, dollars.toFixed(4), host === 'db-1' ? DB_MACHINE.providerId : '']);
