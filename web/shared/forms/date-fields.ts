import type { DatePickerInputProps, MonthPickerInputProps } from '@mantine/dates';

/** What every field with a calendar needs: an id by which the calendar is named, and named buttons. */
export const calendarOf = (
  id: string,
): Pick<DatePickerInputProps & MonthPickerInputProps, 'ariaLabels'> & {
  id: string;
  popoverProps: { id: string };
} => ({
  ariaLabels: {
    previousMonth: 'Month before',
    nextMonth: 'Month after',
    previousYear: 'Year before',
    nextYear: 'Year after',
    previousDecade: 'Decade before',
    nextDecade: 'Decade after',
  },
  id,
  popoverProps: { id },
});
