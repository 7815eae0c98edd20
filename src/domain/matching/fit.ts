import type { Criteria, Exclusion } from '../events/criteria.ts'
import { foldName } from '../values/user-name.ts'

const FIELDS = ['sut_type', 'manufacturer', 'model', 'os', 'version', 'name'] as const

/** The fields of a SUT that criteria name. */
export type SutFields = Readonly<Record<(typeof FIELDS)[number], string>>

/** A SUT as criteria see it: folded fields, in the order of FIELDS, and tags. */
export interface Profile {
  readonly fields: readonly string[]
  readonly tags: Readonly<Record<string, string>>
}

export const profileOf = (fields: SutFields, tags: Profile['tags']): Profile => ({
  fields: FIELDS.map((name) => foldName(fields[name])),
  tags,
})

/** One criterion: a field, by its place among FIELDS, or a tag has one of these values; null if there is no such tag. */
export type Criterion =
  | { readonly field: number; readonly values: ReadonlySet<string> }
  | { readonly tag: string; readonly values: ReadonlySet<string> | null }

const listOf = ({ tags = {}, ...fields }: Omit<Exclusion, 'not'>): readonly Criterion[] => [
  ...FIELDS.flatMap((name, field): readonly Criterion[] => {
    const value = fields[name]
    return value === undefined ? [] : [{ field, values: new Set([value ?? ''].flat().map(foldName)) }]
  }),
  ...Object.entries(tags).map(
    ([tag, asked]): Criterion => ({ tag, values: asked === null ? null : new Set([asked].flat()) }),
  ),
]

/** The criteria of which all must hold, and those of which none may. */
export interface AllCriteria {
  readonly must: readonly Criterion[]
  readonly mustNot: readonly Criterion[]
}

export const criteriaIn = ({ not = {}, ...required }: Criteria): AllCriteria => ({
  must: listOf(required),
  mustNot: listOf(not),
})

/** What a criterion is about, as the filters of lists write it. */
export const subjectOf = (criterion: Criterion): string =>
  'field' in criterion ? (FIELDS[criterion.field] as string) : `tag.${criterion.tag}`

type Test = (profile: Profile) => boolean

const testOf = (criterion: Criterion): Test => {
  if ('field' in criterion) return ({ fields }) => criterion.values.has(fields[criterion.field] as string)
  const { tag, values } = criterion
  if (values === null) return ({ tags }) => !Object.hasOwn(tags, tag)
  return ({ tags }) => Object.hasOwn(tags, tag) && values.has(tags[tag] as string)
}

export const makeTest = ({ must, mustNot }: AllCriteria): Test => {
  const [tests, excluding] = [must.map(testOf), mustNot.map(testOf)]
  return (profile) => tests.every((holds) => holds(profile)) && !excluding.some((holds) => holds(profile))
}

const prepared = new WeakMap<Criteria, Test>()

/** Prepares criteria, to be compared with many SUTs. Those that are in use are prepared once. */
export const makeFit = (criteria: Criteria): Test => {
  const known = prepared.get(criteria)
  if (known !== undefined) return known
  const test = makeTest(criteriaIn(criteria))
  prepared.set(criteria, test)
  return test
}
