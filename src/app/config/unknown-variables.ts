/** Edit distance: letters added, removed, replaced or swapped with the next one. */
export const distance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, n) => n)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      rows[i]?.push(Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, swapped))
    }
  }
  return at(a.length, b.length)
}

const nearest = (name: string, known: readonly string[]): string =>
  known.reduce((best, other) => (distance(name.slice(0, 64), other) < distance(name.slice(0, 64), best) ? other : best))

// Kubernetes sets these in every pod of a namespace with a service called "berth" or "berth-...".
const SERVICE_LINK =
  /^BERTH_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/

const isServiceLink = (name: string, value: string): boolean =>
  SERVICE_LINK.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value))

export type Variables = Readonly<Record<string, string | undefined>>

export interface UnknownVariables {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Variables with our prefix that are not known. Messages never include values. */
export const unknownVariables = (environment: Variables, known: readonly string[]): UnknownVariables => {
  const problems: string[] = []
  const links: string[] = []
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith('BERTH_') || known.includes(name)) continue
    if (isServiceLink(name, value)) links.push(name)
    else problems.push(`${name} is not a Berth variable; the closest name is ${nearest(name, known)}`)
  }
  const passedOver = `${links.sort().join(', ')}: Kubernetes service links; ignored`
  return { problems, warnings: links.length === 0 ? [] : [passedOver] }
}
