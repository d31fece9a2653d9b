import { monthOf, type Day } from '../../domain/shared/calendar.ts';
import { chargedAt, chargedOn, costs, units, type FocusRow } from './focus-row.ts';
import { wobble } from './noise.ts';
import { growth, isWeekend, season } from './season.ts';

/** What the sample organisation pays for a resource by the hour or the day. */
export interface MeteredResource {
  account: string;
  accountName: string;
  service: string;
  category: string;
  resource: string;
  dollarsPerDay: number;
  /** follows the shop's customers; rests at weekends and nights; or is simply there. */
  load: 'busy' | 'office' | 'steady';
  resourceGroup?: string;
  tags?: Record<string, string>;
}

/** The columns that say what was used. */
export const usageOf = (resource: MeteredResource): FocusRow => ({
  ChargeCategory: 'Usage',
  ChargeDescription: `${resource.service}, on demand`,
  ResourceId: resource.resource,
  ServiceCategory: resource.category,
  ServiceName: resource.service,
  SubAccountId: resource.account,
  SubAccountName: resource.accountName,
  ...(resource.tags === undefined ? {} : { Tags: JSON.stringify(resource.tags) }),
  ...(resource.resourceGroup === undefined ? {} : { x_ResourceGroupName: resource.resourceGroup }),
});

/** What a resource costs on a day, in units of 10⁻⁸ dollars. */
export const costOfDay = (resource: MeteredResource, day: Day): number => {
  const month = monthOf(day);
  const level = {
    busy: growth(month, 0.011) * season(month) * (isWeekend(day) ? 1.12 : 1),
    office: isWeekend(day) ? 0.25 : 1,
    steady: growth(month, 0.008),
  }[resource.load];
  return units(resource.dollarsPerDay * level * wobble(`${resource.resource} ${day}`, 0.06));
};

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A resource's usage of a day, as a provider reports it that bills by the day. */
export const usageOfDay = (resource: MeteredResource, day: Day): FocusRow => ({
  ...usageOf(resource),
  ...chargedOn(day),
  ...costs(costOfDay(resource, day)),
});

/** How an hour of the day, and one of the night, differs from the day's mean. */
const SHARE = {
  busy: { day: 1.3, night: 0.7 },
  office: { day: 1.7, night: 0.3 },
  steady: { day: 1, night: 1 },
};

/** A resource's usage of a day, as a provider reports it that bills by the hour. */
export const usageByHour = (resource: MeteredResource, day: Day): FocusRow[] => {
  const usage = usageOf(resource);
  const hourly = costOfDay(resource, day) / 24;
  const { day: byDay, night } = SHARE[resource.load];
  return HOURS.map((hour) => ({
    ...usage,
    ...chargedAt(day, hour),
    ...costs(Math.round(hourly * (hour >= 7 && hour < 19 ? byDay : night))),
  }));
};
