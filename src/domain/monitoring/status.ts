/** What is known of a SUT, as lists are filtered by it. */
export const MONITORED = ['online', 'offline', 'disabled', 'unknown'] as const
export type Monitored = (typeof MONITORED)[number]

/** The status of `monitoring` in the interface. */
export const STATUS: Readonly<Record<Monitored, string>> = {
  online: 'Online',
  offline: 'Offline',
  disabled: 'SUT Monitoring Disabled',
  unknown: 'Unknown',
}

export const monitoredOf = ({ status }: { readonly status: string }): Monitored =>
  MONITORED.find((known) => STATUS[known] === status) ?? 'disabled'
