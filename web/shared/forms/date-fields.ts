import type { DatePickerInputProps, MonthPickerInputProps } from '@mantine/dates';

type Common = Pick<DatePickerInputProps & MonthPickerInputProps, 'ariaLabels'>;

/** Names of the buttons of a calendar. */
const NAMES: Common = {
  ariaLabels: {
    previousMonth: 'Month before',
    nextMonth: 'Month after',
    previousYear: 'Year before',
    nextYear: 'Year after',
    previousDecade: 'Decade before',
    nextDecade: 'Decade after',
  },
};

/** What every field with a calendar needs: an id by which the calendar is named, and named buttons. */
export const calendarOf = (id: string): Common & { id: string; popoverProps: { id: string } } => ({
  ...NAMES,
  id,
  popoverProps: { id },
});
