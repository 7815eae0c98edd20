import type { Monitoring } from '../../data/objects.ts'

const CAUSES: Readonly<Record<string, string>> = {
  refused: 'refused the connection',
  timed_out: 'timed out',
  unreachable: 'unreachable',
  unknown_host: 'its name is unknown',
  wrong_greeting: 'answered with something else',
  password_refused: 'refused the password',
  locked_out: 'bars this address',
  no_security_type: 'offers no security type that Berth knows',
  in_use: 'in use already',
  refused_by_server: 'refused Berth',
}

export const causeText = (cause: string): string => CAUSES[cause] ?? cause

const DESCRIPTION = /^SUT is offline: (?:it (?:is )?)?(.*)$/

/** `refused the connection`, from what monitoring says; undefined if it says no cause. */
export const causeOf = ({ status_description }: Monitoring): string | undefined =>
  DESCRIPTION.exec(status_description)?.[1]
