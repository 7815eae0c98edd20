/** The monitoring status of a SUT, as a filter of lists. */
export const MONITORED = ['online', 'offline', 'disabled', 'unknown'] as const
export type Monitored = (typeof MONITORED)[number]

/** `monitoring.status` in documents. */
export const STATUS: Readonly<Record<Monitored, string>> = {
  online: 'Online',
  offline: 'Offline',
  disabled: 'SUT Monitoring Disabled',
  unknown: 'Unknown',
}

export const monitoredOf = ({ status }: { readonly status: string }): Monitored =>
  MONITORED.find((known) => STATUS[known] === status) ?? 'disabled'
