/** A machine of a lab as its events tell, apart from the source. */

export type Fields = Readonly<Record<string, unknown>>

export interface Machine {
  readonly fields: Fields
  readonly tags: Readonly<Record<string, string>>
  readonly isRetired: boolean
  readonly isMonitored: boolean
  readonly isOffline: boolean
}

const has = (wanted: unknown, value: string): boolean =>
  (Array.isArray(wanted) ? wanted : [wanted]).some((each) => String(each).toLowerCase() === value.toLowerCase())

/** Each criterion, whether it holds. */
export const holding = (criteria: Fields, { fields, tags }: Machine): readonly boolean[] =>
  Object.entries(criteria).flatMap(([name, wanted]) => {
    if (name === 'not') return []
    if (name !== 'tags') return [has(wanted, String(fields[name] ?? ''))]
    return Object.entries(wanted as Fields).map(([tag, value]) => {
      const own = tags[tag]
      if (value === null) return own === undefined
      return own !== undefined && (Array.isArray(value) ? value : [value]).includes(own)
    })
  })

const CREATED: Machine = { fields: {}, tags: {}, isRetired: false, isMonitored: false, isOffline: false }

const updated = (machine: Machine, { tags = {}, ...fields }: Fields): Machine => {
  const merged = Object.entries({ ...machine.tags, ...(tags as object) }).filter(([, value]) => value !== null)
  // Where it is now, nobody has looked.
  const isMoved = ['address', 'port', 'sut_type'].some((name) => name in fields)
  return {
    ...machine,
    ...{ fields: { ...machine.fields, ...fields }, tags: Object.fromEntries(merged) as Machine['tags'] },
    isOffline: machine.isOffline && !isMoved,
  }
}

/** A machine as an event of its leaves it. */
export const machineAfter = (before: Machine = CREATED, type: string, data: Fields): Machine => {
  switch (type) {
    case 'SutRetired':
      return { ...before, isRetired: true }
    case 'SutMonitoringEnabled':
      return { ...before, isMonitored: true }
    case 'SutMonitoringDisabled':
      return { ...before, isMonitored: false, isOffline: false }
    case 'SutWentOnline':
      return { ...before, isOffline: false }
    // A probe may end after monitoring did.
    case 'SutWentOffline':
      return { ...before, isOffline: before.isMonitored }
    default:
      return updated(before, data)
  }
}
