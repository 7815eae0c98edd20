import type { RecordedSettings } from '../../../../projections/sut.ts'

/** Files that viewers open to connect. They contain no secret. */

/** Where a viewer connects. */
export interface Endpoint {
  /** IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** The size of the desktop, if known. */
  readonly display: Pick<RecordedSettings, 'rdp_height' | 'rdp_width'>
}

export interface ConnectionFile {
  readonly mediaType: string
  readonly extension: string
  readonly write: (endpoint: Endpoint) => string
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

const lines = (...written: readonly string[]): string => written.map((line) => `${line}\r\n`).join('')

/** The file for each type of SUT. A `tcp` SUT has none. */
export const CONNECTION_FILES: Readonly<Record<string, ConnectionFile>> = {
  rdp: {
    mediaType: 'application/x-rdp',
    extension: 'rdp',
    write: ({ host, port, display: { rdp_width, rdp_height } }) =>
      lines(
        `full address:s:${bracketed(host)}:${port}`,
        ...(rdp_width === undefined ? [] : [`desktopwidth:i:${rdp_width}`]),
        ...(rdp_height === undefined ? [] : [`desktopheight:i:${rdp_height}`]),
      ),
  },
  vnc: {
    mediaType: 'application/x-vnc',
    extension: 'vnc',
    write: ({ host, port }) => lines('[connection]', `host=${bracketed(host)}`, `port=${port}`),
  },
}

export const FILE_MEDIA_TYPES = Object.values(CONNECTION_FILES).map(({ mediaType }) => mediaType)
