// Package wire is what the providers' HTTP wires have in common: encoding the request,
// headers, retries before the first byte, and a response body that neither stays silent
// for ever nor hangs when it is closed.
package wire
