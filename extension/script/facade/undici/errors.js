// The errors of undici, by name and code.
export class UndiciError extends Error {
	name = "UndiciError";
	code = "UND_ERR";
}

const kinds = {
	ConnectTimeoutError: "CONNECT_TIMEOUT", HeadersTimeoutError: "HEADERS_TIMEOUT", BodyTimeoutError: "BODY_TIMEOUT", HeadersOverflowError: "HEADERS_OVERFLOW",
	ResponseStatusCodeError: "RESPONSE_STATUS_CODE", ResponseError: "RESPONSE", InvalidArgumentError: "INVALID_ARG", InvalidReturnValueError: "INVALID_RETURN_VALUE",
	RequestAbortedError: "ABORTED", InformationalError: "INFO", RequestContentLengthMismatchError: "REQ_CONTENT_LENGTH_MISMATCH",
	ResponseContentLengthMismatchError: "RES_CONTENT_LENGTH_MISMATCH", ClientDestroyedError: "DESTROYED", ClientClosedError: "CLOSED", SocketError: "SOCKET",
	NotSupportedError: "NOT_SUPPORTED", ResponseExceededMaxSizeError: "RES_EXCEEDED_MAX_SIZE", RequestRetryError: "REQ_RETRY", SecureProxyConnectionError: "PRX_TLS",
	BalancedPoolMissingUpstreamError: "BPL_MISSING_UPSTREAM",
};

export const errors = { UndiciError };
for (const [name, code] of Object.entries(kinds)) {
	errors[name] = { [name]: class extends UndiciError {
		name = name;
		code = "UND_ERR_" + code;
		constructor(message, ...rest) {
			super(message ?? name, ...rest);
		}
	} }[name];
}
