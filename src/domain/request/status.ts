/** Whether a request waits, and how it ended otherwise. */
export const REQUEST_STATUSES = ['waiting', 'granted', 'withdrawn', 'expired'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]
