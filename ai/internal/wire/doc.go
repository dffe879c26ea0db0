// Package wire is what the providers' HTTP wires have in common: encoding the request,
// headers, retries before the first byte, responses that are no streams, a response body
// that neither stays silent for ever nor hangs when it is closed, and ids and keys that the
// services accept.
package wire
