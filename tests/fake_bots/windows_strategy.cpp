// A course strategy as the sources of the Windows years are: it opens a console and prints there.

#include <atlstr.h>
#include <conio.h>
#include <tchar.h>
#include <Windows.h>
#include <iostream>

struct Point {
    int x, y;
};

extern "C" __declspec(dllexport) Point* getPoint(const int M, const int N, const int* top,
                                                 const int* board, const int lastX,
                                                 const int lastY, const int noX, const int noY) {
    AllocConsole();
    DWORD start = GetTickCount();
    BOOL found = FALSE;
    int y = -1;
    while (!found) found = top[++y] > 0;
    _cprintf("%d rows, column %d after %u ms\n", M, y, GetTickCount() - start);
    return new Point{top[y] - 1, y};
}

extern "C" __declspec(dllexport) void clearPoint(Point* p) {
    delete p;
}
