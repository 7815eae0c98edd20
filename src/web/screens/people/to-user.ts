const LIMIT_NUMBER = /^\d+(\.\d+)?$/

/** A limit as the service takes it; other text as it stands, so that the service says what it must be. */
const toLimit = (text: string): string | number | null => {
  if (text === 'none') return null
  return LIMIT_NUMBER.test(text) ? Number(text) : text
}

/** `hours_per_week=40,reservations_max=none`. `default` is the quota of the service. */
const toQuota = (text: string): object | null =>
  text.trim() === 'default'
    ? null
    : Object.fromEntries(
        text.split(',').map((part) => {
          const [name = '', value = ''] = part.split('=', 2)
          return [name.trim(), toLimit(value.trim())]
        }),
      )

export const toUser = ({ quota, ...fields }: Readonly<Record<string, string>>): object => ({
  ...fields,
  ...(quota !== undefined && { quota: toQuota(quota) }),
})
