/** These members of an object, in this order, as far as it has them. Others stay out, also ones that come later. */
export const pick = <A extends object, K extends PropertyKey>(from: A, names: readonly K[]): Pick<A, K & keyof A> => {
  const members = from as Readonly<Record<PropertyKey, unknown>>
  const had = names.filter((name) => members[name] !== undefined)
  return Object.fromEntries(had.map((name) => [name, members[name]])) as Pick<A, K & keyof A>
}
