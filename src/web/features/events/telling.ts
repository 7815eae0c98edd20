import type { IconName } from '../../parts/icon-name.ts'
import type { Entry } from './entries.ts'

/** Of what sentences about the log are made. Pure. */

/** A text, the name of somebody, or a machine, which may be gone. */
export type Part = string | { readonly name: string } | { readonly machine: string; readonly id: string | undefined }

export type Kind = 'reservations' | 'sessions' | 'changes' | 'monitoring' | 'people' | 'service'

export interface Sentence {
  readonly kind: Kind
  readonly icon: IconName
  readonly parts: readonly Part[]
}

export interface Reader {
  readonly ownId: string
  /** Undefined for somebody who cannot be named. */
  readonly nameOf: (userId: string) => string | undefined
  /** Undefined where all is about one machine, which is "it". */
  readonly machineOf?: (sutId: string) => Part
}

export type Teller = (entry: Entry, reader: Reader) => Sentence

/** Somebody as the subject of a sentence, or in the midst of it. */
export const named = (userId: unknown, { ownId, nameOf }: Reader, isFirst: boolean): Part => {
  if (userId === ownId) return { name: isFirst ? 'You' : 'you' }
  const name = nameOf(String(userId))
  return name === undefined ? (isFirst ? 'Somebody' : 'somebody') : { name }
}

/** Who acts without being a user. */
const SERVICE: Readonly<Record<string, string>> = {
  ...{ berth: 'Berth', schedule: 'Berth', gateway: 'Berth', monitor: 'Berth', oidc: 'Single sign-on' },
  'command-line': 'The command line',
}

/** Who did it: a user, or Berth itself. */
export const actorOf = ({ actor, actorname }: Entry, reader: Reader): Part => {
  if (actor === undefined) return 'Berth'
  if (actor === reader.ownId) return { name: 'You' }
  return SERVICE[actor] ?? (actorname === undefined ? named(actor, reader, true) : { name: actorname })
}

const sutIdOf = ({ data }: Entry): string => String(data.sut_id ?? data._id)

/** The machine in the midst of a sentence, or as its subject. */
export const machineOf = (entry: Entry, reader: Reader, isFirst = false): Part =>
  reader.machineOf?.(sutIdOf(entry)) ?? (isFirst ? 'It' : 'it')

/** ` for win11-01`, where it is not about that machine anyway. */
export const ofMachine = (entry: Entry, reader: Reader, preposition: string): readonly Part[] =>
  reader.machineOf === undefined ? [] : [` ${preposition} `, machineOf(entry, reader)]

export const said = (kind: Kind, icon: IconName, ...parts: readonly Part[]): Sentence => ({ kind, icon, parts })

/** That somebody did something. */
export const done =
  (kind: Kind, icon: IconName, ...parts: readonly string[]): Teller =>
  (entry, reader) =>
    said(kind, icon, actorOf(entry, reader), ...parts)
