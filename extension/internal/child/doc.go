// Package child runs the program of an extension: it starts it, exchanges lines with it, keeps
// what it complains about, and ends it with all that it has started.
//
// # Lines
//
// A line ends with LF and with nothing else; CR before it is dropped, U+2028 is a character
// like others, and an empty line is nothing. What follows the last LF is no line. A line over
// the limit is skipped, and its beginning is reported.
//
// # Concurrency
//
// [Options].Line and TooLong are called by one goroutine, in the order of the lines; while
// they do not return, nothing is read, and the program waits in the end. [Child.Send] never
// waits: a program that does not read what it is sent is ended when too much is waiting. All
// methods may be called from any goroutine.
//
// # The end
//
// When the program has ended, or was ended, what it started and left in its session is
// killed, what it had written is read, and then [Child.Done] is closed. Nothing is called
// after that. When this process is killed, the program's stdin comes to its end, and Linux and
// Windows kill the program itself.
package child
