/** What of a form is kept when others have changed its record meanwhile. Pure. */

/** How often a record was changed, by its ETag. Probes of a machine change only what comes after the dot. */
export const revisionOf = (etag: string | undefined): number => Number.parseInt((etag ?? '').replace(/\D*/, ''), 10)

/** The values that differ from others; of those that belong together all where one does. */
export const differing = <V extends object>(
  values: Partial<V>,
  others: Partial<V>,
  together: readonly (keyof V)[] = [],
): Partial<V> => {
  const isOther = (name: keyof V): boolean => JSON.stringify(values[name]) !== JSON.stringify(others[name])
  const names = (Object.keys(values) as (keyof V)[]).filter(isOther)
  const all = names.some((name) => together.includes(name)) ? [...names, ...together] : names
  return Object.fromEntries(all.map((name) => [name, values[name]])) as Partial<V>
}
