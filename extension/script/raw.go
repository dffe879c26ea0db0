package script

import (
	"errors"
	"reflect"
	"runtime"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json"
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// raw are the engine's own handles of a machine. The engine can do things which its Go
// package does not offer, so the handles that this keeps to itself are read by name. They are
// checked here, and tests fail should a newer version call them differently.
type raw struct {
	tls     *libc.TLS
	runtime uintptr
	context uintptr
}

func rawOf(vm *quickjs.VM) (raw, error) {
	state := reflect.ValueOf(vm).Elem()
	rt := state.FieldByName("runtime")
	if !rt.IsValid() || rt.Kind() != reflect.Pointer {
		return raw{}, errors.New("this version of the script engine has unknown insides")
	}
	cRuntime, tls, context := rt.Elem().FieldByName("cRuntime"), rt.Elem().FieldByName("tls"), state.FieldByName("cContext")
	if !cRuntime.IsValid() || !tls.IsValid() || !context.IsValid() {
		return raw{}, errors.New("this version of the script engine has unknown insides")
	}
	return raw{(*libc.TLS)(tls.UnsafePointer()), uintptr(cRuntime.Uint()), uintptr(context.Uint())}, nil
}

// trackRejections makes the engine call __rondo.onRejection(promise, reason, handled) for
// promises that are rejected without a handler.
func (r raw) trackRejections() {
	lib.XJS_SetHostPromiseRejectionTracker(r.tls, r.runtime, funcPointer(onRejection), 0)
}

// killJobs runs the pending jobs with an interrupt that stays. The engine looks for it once in
// some thousand calls and then ends the call that it is in; here it is made to look at the first
// call of each job, before that can feed others. So jobs that feed themselves for ever come to
// an end, where the package's own drain stops between two of them. It reports whether none are
// left.
func (r raw) killJobs(vm *quickjs.VM, limit time.Duration) bool {
	context := r.tls.Alloc(int(unsafe.Sizeof(uintptr(0))))
	defer r.tls.Free(int(unsafe.Sizeof(uintptr(0))))
	for end := time.Now().Add(limit); time.Now().Before(end); {
		vm.Interrupt() // an entry into the engine takes an older one back
		for range 10_000 {
			(*(**lib.TJSContext)(unsafe.Pointer(&r.context))).Finterrupt_counter = 0
			n := lib.XJS_ExecutePendingJob(r.tls, r.runtime, context)
			if n == 0 {
				return true
			}
			if n < 0 {
				ctx := **(**uintptr)(unsafe.Pointer(&context))
				lib.XFreeValue(r.tls, ctx, lib.XJS_GetException(r.tls, ctx))
			}
		}
	}
	return false
}

// collectFrom sets the size of the heap, in bytes, at which cycles are collected for the first
// time; later ones come when it has grown by half.
func (r raw) collectFrom(size int) {
	lib.XJS_SetGCThreshold(r.tls, r.runtime, lib.Tsize_t(size))
}

// full reports whether the heap has no room for an arena more, and so none for an error that
// would say so: the engine throws null then.
func (r raw) full() bool {
	const size = int(unsafe.Sizeof(lib.TJSMemoryUsage{}))
	usage := r.tls.Alloc(size)
	defer r.tls.Free(size)
	lib.XJS_ComputeMemoryUsage(r.tls, r.runtime, usage)
	u := *(**lib.TJSMemoryUsage)(unsafe.Pointer(&usage))
	return u.Fmalloc_limit > 0 && u.Fmalloc_limit-u.Fmalloc_size < lib.MJS_MALLOC_ARENA_SIZE
}

// withoutSources calls a function in which what is compiled does not keep its text, which
// toString of a function would return.
func (r raw) withoutSources(compile func()) {
	lib.XJS_SetStripInfo(r.tls, r.runtime, lib.MJS_STRIP_SOURCE)
	defer lib.XJS_SetStripInfo(r.tls, r.runtime, 0)
	compile()
}

// run runs a compiled script.
func (r raw) run(code []byte) error {
	script := r.object(code)
	if script.Ftag == lib.EJS_TAG_EXCEPTION {
		return r.exception()
	}
	result := lib.XJS_EvalFunction(r.tls, r.context, script)
	if result.Ftag == lib.EJS_TAG_EXCEPTION {
		return r.exception()
	}
	lib.XFreeValue(r.tls, r.context, result)
	return nil
}

// object makes what was compiled of its bytecode, which the engine reads where it lies: the
// copy and its memory would take as long as the rest.
func (r raw) object(code []byte) lib.TJSValue {
	v := lib.XJS_ReadObject(r.tls, r.context, uintptr(unsafe.Pointer(unsafe.SliceData(code))), lib.Tsize_t(len(code)), lib.MJS_READ_OBJ_BYTECODE)
	runtime.KeepAlive(code)
	return v
}

// exception takes the exception that is thrown.
func (r raw) exception() error {
	thrown := lib.XJS_GetException(r.tls, r.context)
	defer lib.XFreeValue(r.tls, r.context, thrown)
	const word = unsafe.Sizeof(lib.Tsize_t(0))
	size := r.tls.Alloc(int(word))
	defer r.tls.Free(int(word))
	text := lib.XJS_ToCStringLen2(r.tls, r.context, size, thrown, 0)
	if text == 0 {
		return errors.New("an exception without a text")
	}
	defer lib.XJS_FreeCString(r.tls, r.context, text)
	return errors.New(string(libc.GoBytes(text, int(**(**lib.Tsize_t)(unsafe.Pointer(&size))))))
}

// compile makes a module known by its name, so that importing it runs it, and returns its
// bytecode; nil if the source is no module. Unlike importing a source, compiling runs nothing,
// and is not cut short.
func (r raw) compile(name, source string) []byte {
	text, err := libc.CString(source)
	if err != nil {
		return nil
	}
	defer libc.Xfree(r.tls, text)
	file, err := libc.CString(name)
	if err != nil {
		return nil
	}
	defer libc.Xfree(r.tls, file)
	module := lib.XJS_Eval(r.tls, r.context, text, lib.Tsize_t(len(source)), file, lib.MJS_EVAL_TYPE_MODULE|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if !r.sound(module) {
		return nil
	}
	defer lib.XFreeValue(r.tls, r.context, module)
	const word = unsafe.Sizeof(lib.Tsize_t(0))
	size := r.tls.Alloc(int(word))
	defer r.tls.Free(int(word))
	code := lib.XJS_WriteObject(r.tls, r.context, size, module, lib.MJS_WRITE_OBJ_BYTECODE)
	if code == 0 {
		r.sound(lib.TJSValue{Ftag: lib.EJS_TAG_EXCEPTION})
		return nil
	}
	defer lib.Xjs_free(r.tls, r.context, code)
	return append([]byte(nil), libc.GoBytes(code, int(**(**lib.Tsize_t)(unsafe.Pointer(&size))))...)
}

// declare makes a compiled module known by its name; false if that is not possible.
func (r raw) declare(code []byte) bool {
	module := r.object(code)
	if !r.sound(module) {
		return false
	}
	defer lib.XFreeValue(r.tls, r.context, module)
	return lib.XJS_ResolveModule(r.tls, r.context, module) == 0 || r.sound(lib.TJSValue{Ftag: lib.EJS_TAG_EXCEPTION})
}

// evaluate runs a module that is known by its name, at once, and calls __rondo.keep with what
// it exports. It returns the state of the module: "fulfilled", "rejected", or "pending" if the
// module waits. The globals __promise, which is the module's, and __reason are then to be taken
// away.
func (r raw) evaluate(name string) string {
	quoted, err := json.Marshal(name)
	if err != nil {
		return "pending"
	}
	source := "import*as m from" + string(quoted) + ";__rondo.keep(m)"
	text, err := libc.CString(source)
	if err != nil {
		return "pending"
	}
	defer libc.Xfree(r.tls, text)
	promise := lib.XJS_Eval(r.tls, r.context, text, lib.Tsize_t(len(source)), uintptr(unsafe.Pointer(&requireName)), lib.MJS_EVAL_TYPE_MODULE)
	global := lib.XJS_GetGlobalObject(r.tls, r.context)
	defer lib.XFreeValue(r.tls, r.context, global)
	if promise.Ftag == lib.EJS_TAG_EXCEPTION {
		lib.XJS_SetPropertyStr(r.tls, r.context, global, uintptr(unsafe.Pointer(&reasonName)), lib.XJS_GetException(r.tls, r.context))
		return "rejected"
	}
	state := lib.XJS_PromiseState(r.tls, r.context, promise)
	reason := lib.XJS_PromiseResult(r.tls, r.context, promise)
	lib.XJS_SetPropertyStr(r.tls, r.context, global, uintptr(unsafe.Pointer(&reasonName)), reason)
	lib.XJS_SetPropertyStr(r.tls, r.context, global, uintptr(unsafe.Pointer(&promiseName)), promise)
	switch state {
	case lib.EJS_PROMISE_FULFILLED:
		return "fulfilled"
	case lib.EJS_PROMISE_REJECTED:
		return "rejected"
	}
	return "pending"
}

// sound reports whether a value is none that stands for an exception, which is dropped.
func (r raw) sound(v lib.TJSValue) bool {
	if v.Ftag != lib.EJS_TAG_EXCEPTION {
		return true
	}
	lib.XFreeValue(r.tls, r.context, lib.XJS_GetException(r.tls, r.context))
	return false
}

// funcPointer is how transpiled C names a Go function.
func funcPointer(f any) uintptr {
	type iface [2]uintptr
	return (*iface)(unsafe.Pointer(&f))[1]
}

// Names, as C has them.
var (
	onRejectionName = [...]byte{'o', 'n', 'R', 'e', 'j', 'e', 'c', 't', 'i', 'o', 'n', 0}
	rondoName       = [...]byte{'_', '_', 'r', 'o', 'n', 'd', 'o', 0}
	promiseName     = [...]byte{'_', '_', 'p', 'r', 'o', 'm', 'i', 's', 'e', 0}
	reasonName      = [...]byte{'_', '_', 'r', 'e', 'a', 's', 'o', 'n', 0}
	requireName     = [...]byte{'<', 'e', 'v', 'a', 'l', '>', 0}
)

// onRejection has the form of JSHostPromiseRejectionTracker in quickjs.h.
func onRejection(tls *libc.TLS, ctx uintptr, promise, reason lib.TJSValue, handled int32, _ uintptr) {
	const size = unsafe.Sizeof(lib.TJSValue{})
	global := lib.XJS_GetGlobalObject(tls, ctx)
	rondo := lib.XJS_GetPropertyStr(tls, ctx, global, uintptr(unsafe.Pointer(&rondoName)))
	fn := lib.XJS_GetPropertyStr(tls, ctx, rondo, uintptr(unsafe.Pointer(&onRejectionName)))
	argv := tls.Alloc(int(3 * size))
	defer tls.Free(int(3 * size))
	args := *(**[3]lib.TJSValue)(unsafe.Pointer(&argv))
	args[0], args[1], args[2] = promise, reason, lib.XNewInt32(tls, ctx, handled)
	result := lib.XJS_Call(tls, ctx, fn, global, 3, argv)
	lib.XFreeValue(tls, ctx, result)
	if lib.XJS_HasException(tls, ctx) != 0 {
		lib.XFreeValue(tls, ctx, lib.XJS_GetException(tls, ctx))
	}
	for _, v := range []lib.TJSValue{fn, rondo, global} {
		lib.XFreeValue(tls, ctx, v)
	}
}
