export const toggled = <A>(set: ReadonlySet<A>, member: A): ReadonlySet<A> =>
  set.has(member) ? new Set([...set].filter((each) => each !== member)) : new Set([...set, member])
