import { Notifications, notifications, type NotificationData } from '@mantine/notifications';
import type { ReactNode } from 'react';

/** Says something about a change, in a corner of the page. */
export function showNotice(notice: NotificationData): void {
  notifications.show(notice);
}

/** The notices that are shown. They come with {@link showNotice}, so that a notice shows even after the network is gone. */
export const NoticeList = (): ReactNode => <Notifications position="bottom-right" />;
