/** The HEALTHCHECK of the image: exit code 0 when the service in this container answers that it is ready. */

import http from 'node:http'
import https from 'node:https'

// The variables of the image. Connecting to an unspecified address, such as 0.0.0.0, reaches the loopback.
const { BERTH_HOST: host = '127.0.0.1', BERTH_PORT: port = '8080', BERTH_TLS_CERT } = process.env
/** Less than the image allows. */
const REQUEST_TIMEOUT_MS = 4_000
const address = { host, port, path: '/health/ready', timeout: REQUEST_TIMEOUT_MS }

const finish = (isReady: boolean): never => process.exit(isReady ? 0 : 1)

const { get } = BERTH_TLS_CERT === undefined ? http : https
// The certificate is for the name that clients use, not for the loopback address.
const request = get({ ...address, rejectUnauthorized: false }, ({ statusCode }) => finish(statusCode === 200))
request.on('timeout', () => finish(false))
request.on('error', () => finish(false))
