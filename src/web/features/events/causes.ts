import type { Monitoring } from '../../data/objects.ts'

/** Why a machine is offline, as lists and as sentences have it. */
const CAUSES: Readonly<Record<string, { readonly short: string; readonly sentence: string }>> = {
  refused: { short: 'refuses connections', sentence: 'it refused the connection' },
  timed_out: { short: 'timed out', sentence: 'it timed out' },
  unreachable: { short: 'unreachable', sentence: 'it is unreachable' },
  unknown_host: { short: 'its name is unknown', sentence: 'its name is unknown' },
  wrong_greeting: { short: 'answers with something else', sentence: 'it answered with something else' },
  password_refused: { short: 'refuses the password', sentence: 'it refused the password' },
  locked_out: { short: 'bars this address', sentence: 'it bars this address' },
  no_security_type: {
    short: 'no security type that Berth knows',
    sentence: 'it offers no security type that Berth knows',
  },
  in_use: { short: 'in use already', sentence: 'it is in use already' },
  refused_by_server: { short: 'refuses Berth', sentence: 'it refused Berth' },
}

/** `it refused the connection`. */
export const sentenceOf = (cause: string): string => CAUSES[cause]?.sentence ?? cause

/** `refuses connections`. */
export const shortOf = (cause: string): string => CAUSES[cause]?.short ?? cause

const DESCRIBED = /^SUT is offline: (.*)$/

/** `refuses connections`, from what monitoring says; undefined if it says no cause. */
export const shortCauseOf = ({ status_description }: Monitoring): string | undefined => {
  const [, sentence] = DESCRIBED.exec(status_description) ?? []
  return Object.values(CAUSES).find((cause) => cause.sentence === sentence)?.short ?? sentence
}
