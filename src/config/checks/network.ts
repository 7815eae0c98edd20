/** The part of the log that warnings need. */
interface Log {
  readonly warn: (facts: object, sentence: string) => void
}

export const warnOfPlainText = ({ warn }: Log, host: string): void =>
  warn({ host }, 'connections are not encrypted, so passwords can be intercepted; set BERTH_TLS_CERT and BERTH_TLS_KEY')

export const warnOfUntrustedProxy =
  ({ warn }: Log) =>
  (peer: string): void =>
    warn(
      { peer },
      'ignoring forwarding headers of an untrusted peer; if it is a proxy, add it to BERTH_TRUSTED_PROXIES',
    )
