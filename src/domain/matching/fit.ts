import type { Criteria, Exclusion } from '../events/criteria.ts'
import type { SutType } from '../events/sut.ts'
import { foldName } from '../values/user-name.ts'

const FIELDS = ['sut_type', 'manufacturer', 'model', 'os', 'version', 'name'] as const

/** The fields of a SUT that criteria name. */
export interface SutFields {
  readonly sut_type: SutType
  readonly manufacturer: string
  readonly model: string
  readonly os: string
  readonly version: string
  readonly name: string
}

/** A SUT as criteria see it: folded fields, in the order of FIELDS, and tags. */
export interface Profile {
  readonly fields: readonly string[]
  readonly tags: Readonly<Record<string, string>>
}

export const profileOf = (fields: SutFields, tags: Readonly<Record<string, string>>): Profile => ({
  fields: FIELDS.map((name) => foldName(fields[name])),
  tags,
})

type Test = (profile: Profile) => boolean

const valuesOf = (asked: string | readonly string[]): readonly string[] => [asked].flat()

/** One test a criterion. */
const testsOf = ({ tags = {}, ...fields }: Omit<Exclusion, 'not'>): readonly Test[] => [
  ...FIELDS.flatMap((name, n): readonly Test[] => {
    const asked = fields[name]
    if (asked === undefined) return []
    const values = new Set(valuesOf(asked).map(foldName))
    return [({ fields }) => values.has(fields[n] as string)]
  }),
  ...Object.entries(tags).map(([name, asked]): Test => {
    if (asked === null) return ({ tags }) => !Object.hasOwn(tags, name)
    const values = new Set(valuesOf(asked))
    return ({ tags }) => Object.hasOwn(tags, name) && values.has(tags[name] as string)
  }),
]

/** Prepares criteria, to be compared with many SUTs. */
export const makeFit = ({ not = {}, ...required }: Criteria): Test => {
  const [must, mustNot] = [testsOf(required), testsOf(not)]
  return (profile) => must.every((holds) => holds(profile)) && !mustNot.some((holds) => holds(profile))
}
