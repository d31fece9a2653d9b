import type { Day } from '../../domain/shared/calendar.ts';
import { csvLine } from './csv-line.ts';
import { wobble } from './noise.ts';

/** Units of money per dollar in what a cluster exports: OpenCost rounds to five decimals. */
export const ALLOCATION_UNITS = 1e5;

/** A container's cost of a day in units of 10⁻⁵ dollars; what a volume costs comes on top of machine and network. */
export interface Allocation {
  namespace: string;
  kind: string;
  controller: string;
  pod: string;
  container: string;
  machine: number;
  volume: number;
}

/** A container that runs in a cluster, and its mean share of the cluster's machines. */
export interface Container extends Omit<Allocation, 'machine' | 'volume'> {
  share: number;
}

/** The pods of a controller, of one container each, that share `share` of the machines. */
export const podsOf = (
  namespace: string,
  workload: `${'Deployment' | 'StatefulSet' | 'DaemonSet'}/${string}`,
  share: number,
  pods = 1,
): Container[] => {
  const [kind = '', controller = ''] = workload.split('/');
  return Array.from({ length: pods }, (_, index) => ({
    namespace,
    kind,
    controller,
    pod: `${controller}-${index}`,
    container: controller,
    share: share / pods,
  }));
};

/** The containers' parts of what the machines of a cluster cost on a day, in units. */
export const allocated = (
  cluster: string,
  containers: readonly Container[],
  machines: number,
  day: Day,
): Allocation[] =>
  containers.map(({ share, ...container }) => ({
    ...container,
    machine: Math.round(machines * share * wobble(`${cluster} ${container.pod} ${day}`, 0.1)),
    volume: 0,
  }));

/** What nobody used: the rest of what the machines and volumes of a day cost. */
export const idle = (
  used: readonly Allocation[],
  { machines, volumes }: { machines: number; volumes: number },
): Allocation => ({
  namespace: '__idle__',
  kind: '',
  controller: '',
  pod: '__idle__',
  container: '__idle__',
  machine: used.reduce((rest, { machine }) => rest - machine, machines),
  volume: used.reduce((rest, { volume }) => rest - volume, volumes),
});

const CPU_PART = 0.54;
const MEMORY_PART = 0.36;
const NETWORK_PART = 0.04;

/** OpenCost's CSV export of some days, one line per container and day. It names no cluster. */
export function* allocationCsv(
  days: readonly Day[],
  of: (day: Day) => readonly Allocation[],
): Generator<string> {
  yield 'Date,Namespace,ControllerKind,ControllerName,Pod,Container,CPUCost,RAMCost,NetworkCost,PVCost,GPUCost,TotalCost\n';
  for (const day of days) for (const allocation of of(day)) yield allocationLine(day, allocation);
}

/** The total is more than the listed parts add up to, as in real exports: load balancers have no column. */
const allocationLine = (day: Day, allocation: Allocation): string => {
  const { namespace, kind, controller, pod, container, machine, volume } = allocation;
  const parts = [machine * CPU_PART, machine * MEMORY_PART, machine * NETWORK_PART, volume, 0];
  return csvLine([
    ...[day, namespace, kind, controller, pod, container],
    ...[...parts.map(Math.floor), machine + volume].map(fiveDecimals),
  ]);
};

/** An amount in units as the decimal text of a cost column. */
export const fiveDecimals = (amount: number): string => (amount / ALLOCATION_UNITS).toFixed(5);
